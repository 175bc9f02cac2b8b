import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { BotApi } from "./api.ts";
import { demoBotId, seedDemo } from "./demo.ts";
import { serveFile } from "./file/download.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The Telegram Bot API, with an admin API for the actions of people. */
export default function createTelegram(context: EmulatorContext): Emulator {
  const { blobs, changed } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages });
  const api = new BotApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && !world.bots.has(demoBotId)) seedDemo(world);
  for (const bot of world.bots.values()) api.deliveryOf(bot);
  return {
    handle: (exchange, path) =>
      void (path.startsWith("/file/bot") ? serveFile(world, exchange, path) : api.serve(exchange, path)),
    admin: adminRoutes(world, api),
    save: () => saveWorld(world),
    close: () => {
      world.release();
      api.close();
    },
  };
}
