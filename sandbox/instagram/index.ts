import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { demo, seedDemo } from "./demo.ts";
import { InstagramApi } from "./graph.ts";
import { hostSettings } from "./hosts.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The settings that direct a service to the demo app. */
const demoSettings = {
  INSTAGRAM_APP_ID: demo.appId,
  INSTAGRAM_APP_SECRET: demo.appSecret,
  INSTAGRAM_VERIFY_TOKEN: demo.verifyToken,
};

/** Instagram messages and comments of professional accounts, with an admin API for the actions of people. */
export default function createInstagram(context: EmulatorContext): Emulator {
  const { blobs, changed, url } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages, url });
  const api = new InstagramApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && world.apps.size === 0) seedDemo(world);
  return {
    handle: (exchange, path) => api.handle(exchange, path),
    admin: adminRoutes(world),
    describe: async () => ({
      url: url(),
      settings: { ...hostSettings(url()), ...(world.apps.has(demo.appId) && demoSettings) },
    }),
    save: () => saveWorld(world),
    close: () => {
      world.release();
      api.close();
    },
  };
}
