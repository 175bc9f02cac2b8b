import type { IncomingMessage } from "node:http";
import { Type } from "typebox";
import type { Core } from "../../core/core.ts";
import { AppError } from "../../core/errors.ts";
import type { App } from "../app.ts";
import { createAdmission } from "../limit/admission.ts";
import { type PlaceLimits, Places } from "../limit/places.ts";
import type { HttpMetrics } from "../metrics.ts";
import { errorAnswers } from "../schema/shapes.ts";
import { type Door, openDoor } from "./door.ts";

/** Where clients of the original connect, whatever the address of the service is. */
const PATH = "/ws-counters/";
/** An employee has more windows than one; the original names no limit. */
const LIMITS: PlaceLimits = { ofOwner: 20, ofGroup: 1_000, ofNode: 4_000 };
const ANYWHERE = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

/**
 * Counters of unanswered messages as they change: `GET /counters/ws_host/api_v3/{apiKey}` names the host, whose
 * `/ws-counters/` speaks socket.io. Clients are pages of a CRM, at any origin: their only credential is the key that they
 * send, so they may read the responses. The library is loaded with the first client.
 */
export function counterRoutes(app: App, core: Core, metrics: HttpMetrics): void {
  const places = new Places({ kind: "counter", limits: LIMITS, metrics });
  app.register(async (addresses: App) => {
    addresses.addHook("onRequest", async (request, reply) => {
      reply.headers(ANYWHERE);
      // Pages cannot choose the headers of every request, so the key is in the address.
      const { apiKey = "" } = request.params as { apiKey?: string };
      request.headers.authorization = `Bearer ${apiKey}`;
    });
    addresses.addHook("onRequest", createAdmission(core, ["api"]));
    addresses.get(
      "/counters/ws_host/api_v3/:apiKey",
      {
        schema: {
          operationId: "getCounterHost",
          tags: ["crm"],
          summary:
            "Get the host that reports unanswered messages as they change, by socket.io at `/ws-counters/`",
          params: Type.Object({ apiKey: Type.String({ description: "The API key" }) }),
          response: {
            200: Type.Object({
              host: Type.String({ description: "A name, with a port if it is not the usual one" }),
            }),
            ...errorAnswers,
          },
        },
        config: { errors: ["INVALID_APIKEY", "TOO_MANY_REQUESTS"] },
      },
      async () => ({ host: new URL(core.settings.publicUrl).host }),
    );
  });
  let door: Promise<Door> | null = null;
  const opened = () => {
    door ??= openDoor(core, { path: PATH, places }).catch((error: unknown) => {
      door = null;
      throw error;
    });
    return door;
  };
  app.register(async (sockets: App) => {
    // Bodies belong to the library.
    sockets.removeAllContentTypeParsers();
    sockets.addContentTypeParser("*", (_request, _body, done) => done(null));
    sockets.route({
      method: ["GET", "POST"],
      url: PATH,
      schema: { hide: true } as object,
      config: { isStreamed: true },
      async handler(request, reply) {
        if (!isOurs(request.raw)) throw new AppError("NOT_FOUND");
        const { handle } = await opened();
        reply.hijack();
        handle(request.raw, reply.raw);
      },
    });
  });
  const { server } = app;
  // Without this property (Node before 24.9), a listener would take the requests of clients that offer other upgrades.
  if ("shouldUpgradeCallback" in server) {
    Object.assign(server, { shouldUpgradeCallback: isOurs });
    server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      opened().then(
        ({ upgrade }) => upgrade(request, socket, head),
        (error: unknown) => {
          core.log.error({ err: error }, "counters could not be started");
          socket.destroy();
        },
      );
    });
  }
  app.addHook("preClose", async () => {
    await (await door?.catch(() => null))?.close();
  });
}

/** The library knows its path in this form only. */
function isOurs({ url = "" }: Pick<IncomingMessage, "url">): boolean {
  return url.startsWith(`${PATH}?`);
}
