import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { BotApi } from "./api.ts";
import { demo, seedDemo } from "./demo.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The bot API of MAX, with an admin API for the actions of people. */
export default function createMaxbot(context: EmulatorContext): Emulator {
  const { blobs, changed, url } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages, url });
  const api = new BotApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && !world.bots.has(demo.botId)) seedDemo(world);
  return {
    handle: (exchange, path) => api.handle(exchange, path),
    admin: adminRoutes(world),
    save: () => saveWorld(world),
    close: () => {
      world.release();
      api.close();
    },
  };
}
