import type { Core } from "../../core/core.ts";
import { nameActors } from "../actor.ts";
import type { App } from "../app.ts";
import { limitAccountConcurrency } from "../limit/account-limits.ts";
import { type PlaceLimits, Places } from "../limit/places.ts";
import type { HttpMetrics } from "../metrics.ts";
import { readJsonBodies } from "../schema/body.ts";
import { linkingRoutes } from "./channels.ts";
import { chatRoutes } from "./chat/routes.ts";
import { chatSessionRoute, inboxOf } from "./chat/session.ts";
import { streamRoute } from "./chat/stream.ts";
import { uploadRoute } from "./chat/uploads.ts";
import { admitPages, linkOriginRoute, sessionRoute } from "./session.ts";
import { signInWindowRoutes, startSignInRoute } from "./sign-in.ts";

interface WaitingRequests {
  readonly limits: PlaceLimits;
  readonly metrics: HttpMetrics;
  /** Heartbeat interval of a stream; undefined: the default. */
  readonly beatMs: number | undefined;
}

/** The routes of the pages: the same core as for programs, with their own sessions. */
export function pageApiRoutes(app: App, core: Core, waiting: WaitingRequests): void {
  nameActors(app);
  app.register(async (json: App) => {
    readJsonBodies(json);
    jsonRoutes(json, core, waiting);
  });
  app.register(async (uploads: App) => {
    admitPages(uploads, core, "chats");
    uploadRoute(uploads, core);
  });
}

function jsonRoutes(app: App, core: Core, { beatMs, ...places }: WaitingRequests): void {
  sessionRoute(app, core);
  linkOriginRoute(app, core);
  app.register(async (window: App) => signInWindowRoutes(window, core));
  chatSessionRoute(app, core);
  app.register(async (linking: App) => {
    admitPages(linking, core, "channels");
    linkingRoutes(linking, core, new Places({ kind: "poll", ...places }));
    startSignInRoute(linking, core);
  });
  app.register(async (chats: App) => {
    admitPages(chats, core, "chats");
    // Before the limit: a stream stays open.
    streamRoute(chats, core, new Places({ kind: "stream", ...places }), beatMs);
    limitAccountConcurrency(chats, (request) => inboxOf(request).scope);
    chatRoutes(chats, core);
  });
}
