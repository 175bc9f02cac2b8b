import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EmulatorProcess } from "../child-process.ts";
import type { Emulator, EmulatorContext } from "../emulator.ts";
import { answerJson } from "../http/exchange.ts";
import { forward } from "../http/forward.ts";
import type { WhatsappAddress } from "./server.ts";

const program = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./main.ts" : "./main.js", import.meta.url),
);

/**
 * The multi-device protocol of WhatsApp, with an admin API for the actions of people on their phones. It runs in a
 * separate process, started on demand, so that its ciphers do not block the other emulators.
 */
export default function createWhatsapp({ host, dataDir, seedDemo }: EmulatorContext): Emulator {
  const whatsapp = new EmulatorProcess<WhatsappAddress>(program, {
    host,
    dataDir: dataDir && join(dataDir, "sandbox-whatsapp"),
    seedDemo,
  });
  return {
    handle: (exchange) =>
      answerJson(exchange, 404, {
        error: "unknown_route",
        description: "WhatsApp is a web socket; GET / tells its address",
      }),
    admin: async (exchange, path) => {
      try {
        forward(exchange, (await whatsapp.start()).admin, path);
      } catch (error) {
        const description = error instanceof Error ? error.message : String(error);
        answerJson(exchange, 502, { error: "unreachable", description });
      }
    },
    describe: async () => {
      const { url, caFile, rootKey } = await whatsapp.start();
      return {
        url,
        ca: caFile,
        root_key: rootKey,
        settings: { WHATSAPP_WS_URL: url, WHATSAPP_CA: caFile, WHATSAPP_ROOT_KEY: rootKey },
      };
    },
    save: () => undefined,
    close: () => whatsapp.stop(),
  };
}
