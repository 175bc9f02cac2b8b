import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { VkApi } from "./api.ts";
import { demo, seedDemo } from "./demo.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The settings that direct a service to the demo app. */
const demoSettings = { VK_APP_ID: String(demo.appId), VK_APP_SECRET: demo.appSecret };

/** Messages of VK communities, with an admin API for the actions of people on VK. */
export default function createVk(context: EmulatorContext): Emulator {
  const { blobs, changed, url } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages, url });
  const api = new VkApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && !world.communities.has(demo.groupId)) seedDemo(world);
  return {
    handle: (exchange, path) => api.handle(exchange, path),
    admin: adminRoutes(world),
    describe: async () => ({ url: url(), ...(world.apps.has(demo.appId) && { settings: demoSettings }) }),
    save: () => saveWorld(world),
    close: () => {
      world.release();
      api.close();
    },
  };
}
