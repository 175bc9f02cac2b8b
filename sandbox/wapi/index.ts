import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { seedDemo } from "./demo.ts";
import { GraphApi } from "./graph.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The WhatsApp Business Platform (Cloud API), with an admin API for what people and Meta do. */
export function createWapi(context: EmulatorContext): Emulator {
  const { blobs, changed, url } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages, url });
  const api = new GraphApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && world.apps.size === 0) seedDemo(world);
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
