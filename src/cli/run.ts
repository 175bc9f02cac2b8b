import { hostname, userInfo } from "node:os";
import { parseArgs } from "node:util";
import { ConfigError } from "../config.ts";
import { type Actor, actAs } from "../core/audit/actor.ts";
import { DerivationNotAdopted } from "../core/key/installation-seal.ts";
import { MoveFailed } from "../core/move/move.ts";
import { TakeoverFailed } from "../core/takeover/failure.ts";
import { TransferFailed } from "../core/transfer/format.ts";
import { commandLine } from "../platform/command-line.ts";
import { visibleText } from "../platform/foreign/visible-text.ts";
import { type Command, CommandFailed, UsageError } from "./command.ts";
import { COMMAND_NAMES, findCommand, loadCommands } from "./command-list.ts";
import { commandHelp, generalHelp } from "./help.ts";

/** Runs one command and sets the exit status: 0 success, 1 failure, 2 invalid command line. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const json = argv.includes("--json");
  try {
    loadEnvFile();
    await dispatch(
      argv.filter((word) => word !== "--json"),
      json,
    );
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    writeErr(json ? JSON.stringify({ error: messageOf(error) }) : messageOf(error));
  }
}

async function dispatch(argv: readonly string[], json: boolean): Promise<void> {
  const command = await findCommand(argv);
  if (command === undefined) {
    if (argv.length === 0 || ["--help", "-h", "help"].includes(argv[0] ?? ""))
      return writeOut(generalHelp(await loadCommands()));
    throw unknownCommand(argv);
  }
  const words = command.name.split(" ").length;
  const { values, positionals } = readArguments(command, argv.slice(words));
  if (values["help"] === true) return writeOut(await commandHelp(command));
  checkArguments(command, values, positionals);
  const texts = Object.entries(values).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const context = {
    args: positionals,
    options: Object.fromEntries(texts),
    switches: Object.keys(values).filter((name) => values[name] === true),
    json,
    print: (result: unknown, text: () => string) => writeOut(json ? JSON.stringify(result) : text()),
    progress: writeErr,
  };
  // The start command has no actor of its own; the service acts on behalf of others.
  await (command.name === "start" ? command.run(context) : actAs(operator(), () => command.run(context)));
}

/** The system user who runs the command. */
function operator(): Actor {
  return { kind: "operator", id: userName(), from: hostname() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in passwd, as in some containers.
    return String(process.getuid?.() ?? "");
  }
}

function unknownCommand(argv: readonly string[]): UsageError {
  const begun = COMMAND_NAMES.filter((name) => name.startsWith(`${argv[0]} `));
  const remedy = begun.length === 0 ? `Try "${commandLine("--help")}".` : `There are: ${begun.join(", ")}.`;
  return new UsageError(`There is no command "${argv.join(" ")}". ${remedy}`);
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

function readArguments(
  command: Command,
  args: readonly string[],
): { values: Values; positionals: readonly string[] } {
  const options: Record<string, { type: "string" | "boolean"; short?: string }> = {
    help: { type: "boolean", short: "h" },
  };
  for (const [name, { value }] of Object.entries(command.options))
    options[name] = { type: value === undefined ? "boolean" : "string" };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
    // No option may be repeated, so no value is an array.
    return { values: values as Values, positionals };
  } catch (error) {
    throw new UsageError(
      `${messageOf(error).replace(/\.$/, "")}. See "${commandLine(command.name)} --help".`,
    );
  }
}

function checkArguments(command: Command, values: Values, positionals: readonly string[]): void {
  const missing = Object.entries(command.options)
    .filter(([name, { required }]) => required === true && (values[name] ?? "") === "")
    .map(([name]) => `--${name}`);
  missing.push(...command.args.slice(positionals.length));
  if (missing.length > 0)
    throw new UsageError(`${missing.join(" and ")} missing. See "${commandLine(command.name)} --help".`);
  const extra = positionals[command.args.length];
  if (extra !== undefined)
    throw new UsageError(`"${extra}" is an unexpected argument. See "${commandLine(command.name)} --help".`);
}

/** Variables that are already set take precedence. */
function loadEnvFile(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

const FORESEEN = [
  UsageError,
  CommandFailed,
  ConfigError,
  TransferFailed,
  TakeoverFailed,
  MoveFailed,
  DerivationNotAdopted,
];

/** Expected errors are shown by their message alone; other errors with their cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const foreseen = FORESEEN.some((type) => error instanceof type);
  const cause = !foreseen && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  const text = error.message.includes(cause.slice(2, -1)) ? error.message : `${error.message}${cause}`;
  return process.env["LOG_LEVEL"] === "debug" ? (error.stack ?? text) : text;
}

/** Foreign names and texts are escaped for the operator's terminal. */
function writeOut(text: string): void {
  process.stdout.write(`${visibleText(text)}\n`);
}

function writeErr(text: string): void {
  process.stderr.write(`${visibleText(text)}\n`);
}
