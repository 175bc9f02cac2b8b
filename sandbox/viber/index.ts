import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { ViberApi } from "./api.ts";
import { demo, seedDemo, sharedBot } from "./demo.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The bot API of Viber, with an admin API for the actions of people. */
export default function createViber(context: EmulatorContext): Emulator {
  const { blobs, changed, url } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages, url });
  const api = new ViberApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && !world.bots.has(demo.botId)) seedDemo(world);
  if (context.seedDemo && !world.bots.has(sharedBot.id)) world.addBot(sharedBot);
  return {
    handle: (exchange, path) => api.handle(exchange, path),
    admin: adminRoutes(world),
    // The platform's address has the same ending.
    describe: async () => ({
      url: `${url()}/pa`,
      ...(world.botByToken(sharedBot.token) && { settings: { VIBER_BOT_TOKEN: sharedBot.token } }),
    }),
    save: () => saveWorld(world),
    close: () => {
      world.release();
      api.close();
    },
  };
}
