import { basename, dirname, relative } from "node:path";

/**
 * A command of the command line, as a person types it here: `npm run cli -- …` in a checkout, `npx trunkline …` in a
 * project that has the package, `trunkline …` where it is installed for everyone, and with Node elsewhere, as in a
 * container.
 */
export function commandLine(command: string): string {
  return `${programOf(process.argv[1] ?? "", process.cwd())} ${command}`;
}

/** `script`: the absolute path of the program, as it was started. Pure. */
export function programOf(script: string, directory: string): string {
  if (script.endsWith(".ts")) return "npm run cli --";
  if (basename(script) === "trunkline")
    return basename(dirname(script)) === ".bin" ? "npx trunkline" : "trunkline";
  if (/[\\/]node_modules[\\/]/.test(script)) return "npx trunkline";
  const near = relative(directory, script);
  return `node ${near.startsWith("..") ? script : near}`;
}
