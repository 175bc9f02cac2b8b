/** Does nothing without a pid, or if the process has ended. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch {
    // Then there is nothing to signal.
  }
}
