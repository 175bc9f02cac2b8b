/** One command of the command line, as data: its help and the reading of its arguments come from here. */
export interface Command {
  /** Words that choose it, e.g. "account create". */
  readonly name: string;
  readonly summary: string;
  /** Arguments without a name, in their order; all are required. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** More lines for its `--help`, computed only when asked. */
  readonly details?: () => Promise<readonly string[]>;
  readonly run: (context: CommandContext) => Promise<void>;
}

export interface CommandOption {
  /** What stands for the value in the help, e.g. "ID"; without it the option is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
}

interface CommandContext {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Names of the options without a value that were given. */
  readonly switches: readonly string[];
  readonly json: boolean;
  /** The result: as JSON with `--json`, else as `text` makes it. */
  print(result: unknown, text: () => string): void;
  /** For a person who waits; goes to stderr. */
  progress(line: string): void;
}

/** The command was misspelt or misses something; the message says what. Ends with status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What was asked cannot be done; the message is all that is shown. Ends with status 1. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}

/** Value of a required option or argument; the reader of arguments has made sure of it. */
export function needed(value: string | undefined): string {
  if (value === undefined) throw new UsageError("an argument is missing");
  return value;
}

export function accountId(value: string): number {
  if (!/^\d{8}$/.test(value)) throw new UsageError(`"${value}" is not an account: it has eight digits`);
  return Number(value);
}
