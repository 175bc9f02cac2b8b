/** One command of the command line, as data; its help and its argument parser are derived from it. */
export interface Command {
  /** The words that select it, e.g. "account create". */
  readonly name: string;
  readonly summary: string;
  /** The positional arguments, in order; all are required. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Additional lines for its `--help`, computed on demand. */
  readonly details?: () => Promise<readonly string[]>;
  readonly run: (context: CommandContext) => Promise<void>;
}

export interface CommandOption {
  /** The placeholder for the value in the help, e.g. "ID". Without it, the option is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
}

interface CommandContext {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** The names of the given options that have no value. */
  readonly switches: readonly string[];
  readonly json: boolean;
  /** Prints the result: as JSON with `--json`, otherwise as `text` formats it. */
  print(result: unknown, text: () => string): void;
  /** Reports progress to a waiting person, on stderr. */
  progress(line: string): void;
}

/** The command line is invalid; the message states why. Exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command cannot be carried out; only the message is shown. Exit status 1. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}

/** The value of a required option or argument, which the argument parser has already checked. */
export function needed(value: string | undefined): string {
  if (value === undefined) throw new UsageError("an argument is missing");
  return value;
}

/** A list of ids such as "17,18". `name`: of its option or argument, for the error. */
export function numbers(name: string, text: string): number[] {
  const found = text.split(",").map((part) => part.trim());
  if (!found.every((part) => /^\d{1,15}$/.test(part)))
    throw new UsageError(`${name} must be numbers such as 17,18`);
  return found.map(Number);
}

export function accountId(value: string): number {
  if (!/^(\d{8}|[12]\d{9})$/.test(value))
    throw new UsageError(`"${value}" is not an account: it has eight or ten digits`);
  return Number(value);
}
