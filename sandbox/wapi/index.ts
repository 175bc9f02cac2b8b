import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { GraphApi } from "./call/graph.ts";
import { demo, seedDemo } from "./demo.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The settings that direct a service to the demo app. */
const demoSettings = {
  WAPI_APP_ID: demo.appId,
  WAPI_APP_SECRET: demo.appSecret,
  WAPI_CONFIG_ID: demo.configId,
  WAPI_VERIFY_TOKEN: demo.verifyToken,
};

/** The WhatsApp Business Platform (Cloud API), with an admin API for the actions of people and Meta. */
export default function createWapi(context: EmulatorContext): Emulator {
  const { blobs, changed, url } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages, url });
  const api = new GraphApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && world.apps.size === 0) seedDemo(world);
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
