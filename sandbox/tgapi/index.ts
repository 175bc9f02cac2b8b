import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EmulatorProcess } from "../child-process.ts";
import type { Emulator, EmulatorContext } from "../emulator.ts";
import { answerJson } from "../http/exchange.ts";
import { forward } from "../http/forward.ts";
import type { TgapiAddress } from "./server.ts";

const program = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./main.ts" : "./main.js", import.meta.url),
);

/**
 * Telegram's MTProto data centres for personal accounts, with an admin API for the actions of people on their phones.
 * They run in a separate process, started on demand, so that key exchanges do not block the other emulators.
 */
export default function createTgapi({ host, dataDir, seedDemo }: EmulatorContext): Emulator {
  const setup = { host, dataDir: dataDir && join(dataDir, "sandbox-tgapi"), seedDemo };
  const tgapi = new EmulatorProcess<TgapiAddress>(program, setup);
  return {
    handle: (exchange) =>
      answerJson(exchange, 404, {
        error: "unknown_route",
        description: "MTProto is no HTTP; GET / tells the addresses of the data centres",
      }),
    admin: async (exchange, path) => {
      try {
        forward(exchange, (await tgapi.start()).admin, path);
      } catch (error) {
        const description = error instanceof Error ? error.message : String(error);
        answerJson(exchange, 502, { error: "unreachable", description });
      }
    },
    describe: async () => {
      const { dataCentres, keyFile, publicKey } = await tgapi.start();
      const [first] = dataCentres.map(({ id, host: at, port }) => `tcp://${at}:${port}/?dc=${id}`);
      return {
        url: first ?? "",
        data_centres: dataCentres,
        public_key: publicKey,
        key_file: keyFile,
        settings: {
          TGAPI_API_ID: "1",
          TGAPI_API_HASH: "0123456789abcdef0123456789abcdef",
          TGAPI_DATA_CENTRE: first ?? "",
          TGAPI_SERVER_KEY: keyFile,
        },
      };
    },
    save: () => undefined,
    close: () => tgapi.stop(),
  };
}
