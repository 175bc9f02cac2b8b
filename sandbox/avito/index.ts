import type { Emulator, EmulatorContext } from "../emulator.ts";
import { adminRoutes } from "./admin/routes.ts";
import { AvitoApi } from "./api.ts";
import { consentPath } from "./consent.ts";
import { demo, seedDemo } from "./demo.ts";
import { restoreWorld, saveWorld } from "./saved-world.ts";
import { World } from "./world.ts";

const keptMessages = 1000;

/** The settings that direct a service to the demo application. */
const demoSettings = { AVITO_CLIENT_ID: demo.clientId, AVITO_CLIENT_SECRET: demo.clientSecret };

/** The messenger API of Avito, with an admin API for the actions of buyers, sellers and Avito. */
export default function createAvito(context: EmulatorContext): Emulator {
  const { blobs, changed, url } = context;
  const keepMessages = context.keepAllMessages ? Number.POSITIVE_INFINITY : keptMessages;
  const world = new World({ blobs, changed, keepMessages, url });
  const api = new AvitoApi(world);
  restoreWorld(world, context.saved);
  if (context.seedDemo && !world.apps.has(demo.clientId)) seedDemo(world);
  return {
    handle: (exchange, path) => api.handle(exchange, path),
    admin: adminRoutes(world),
    describe: async () => ({
      url: url(),
      consent: `${url()}${consentPath}`,
      ...(world.apps.has(demo.clientId) && { settings: demoSettings }),
    }),
    serviceAt: (serviceUrl) => world.redirectApp(demo.clientId, `${serviceUrl}/connect/avito`),
    save: () => saveWorld(world),
    close: () => {
      world.release();
      api.close();
    },
  };
}
