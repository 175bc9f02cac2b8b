import { commandLine } from "../platform/command-line.ts";
import type { Command, CommandOption } from "./command.ts";
import { table } from "./table.ts";

const EVERYWHERE: Readonly<Record<string, CommandOption>> = {
  json: { help: "Print the result as JSON" },
  help: { help: "Show this" },
};

export function generalHelp(commands: readonly Command[]): string {
  return `Trunkline: one interface in front of many messengers.

Usage: ${commandLine("COMMAND")} [--json] [--help]

${commands.map((command) => `  ${usage(command)}\n      ${command.summary}`).join("\n")}

Settings come from the environment and from a .env file in this directory; "${commandLine("start --help")}" lists them.
The commands work while the service runs, and without it. Only "start" creates an installation.`;
}

export async function commandHelp(command: Command): Promise<string> {
  const options = Object.entries({ ...command.options, ...EVERYWHERE });
  const rows = options.map(([name, option]) => [`  ${written(name, option)}`, option.help]);
  const details = (await command.details?.()) ?? [];
  return [`Usage: ${commandLine(usage(command))}`, "", command.summary, "", table(rows), ...details].join(
    "\n",
  );
}

function usage({ name, args, options }: Command): string {
  const named = Object.entries(options).map(([option, definition]) =>
    definition.required === true ? written(option, definition) : `[${written(option, definition)}]`,
  );
  return [name, ...args, ...named].join(" ");
}

function written(name: string, { value }: CommandOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}
