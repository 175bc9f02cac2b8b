import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EmulatorProcess } from "../child-process.ts";
import type { Emulator, EmulatorContext } from "../emulator.ts";
import { answerJson } from "../http/exchange.ts";
import { forward } from "../http/forward.ts";
import type { MaxAddress } from "./server.ts";

const program = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./main.ts" : "./main.js", import.meta.url),
);

/** The protocol of MAX's web client for personal accounts, in a separate process, with an admin API. */
export default function createMax({ host, dataDir, seedDemo }: EmulatorContext): Emulator {
  const setup = { host, dataDir: dataDir && join(dataDir, "sandbox-max"), seedDemo };
  const max = new EmulatorProcess<MaxAddress>(program, setup);
  return {
    handle: (exchange) =>
      answerJson(exchange, 404, {
        error: "unknown_route",
        description: "MAX is a web socket; GET / tells its address",
      }),
    admin: async (exchange, path) => {
      try {
        forward(exchange, (await max.start()).admin, path);
      } catch (error) {
        const description = error instanceof Error ? error.message : String(error);
        answerJson(exchange, 502, { error: "unreachable", description });
      }
    },
    describe: async () => {
      const { url } = await max.start();
      return { url, settings: { MAX_WS_URL: url } };
    },
    save: () => undefined,
    close: () => max.stop(),
  };
}
