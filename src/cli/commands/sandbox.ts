import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Command, needed } from "../command.ts";

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const WALK = fileURLToPath(new URL(`../../../sandbox/walk/main.${EXTENSION}`, import.meta.url));

export const sandboxWalk: Command = {
  name: "sandbox walk",
  summary:
    "Run all functions of a transport, or of all, against emulated messengers, on temporary installations",
  args: [],
  options: {
    transport: {
      value: "NAME",
      help: "The transport, for example telegram; or all, in one table",
      required: true,
    },
  },
  async run({ options, json }) {
    const args = ["--transport", needed(options["transport"]), ...(json ? ["--json"] : [])];
    const walk = spawn(process.execPath, [WALK, ...args], { stdio: "inherit" });
    const [code] = (await once(walk, "exit")) as [number | null];
    process.exitCode = code ?? 1;
  },
};
