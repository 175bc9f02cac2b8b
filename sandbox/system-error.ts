/** Whether the operating system refused something, such as a write to a full disk: the message says all about it. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** For the start of a process: resolves with the result, or ends the process with one line that names the reason. */
export async function orEnd<T>(starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    console.error(`sandbox: it cannot start: ${error.message}`);
    process.exit(1);
  }
}
