import type { Core } from "../../core/core.ts";
import { nameActors } from "../actor.ts";
import type { App } from "../app.ts";
import { readJsonBodies } from "../body.ts";
import { linkingRoutes } from "./channels.ts";
import { admitPages, sessionRoute } from "./session.ts";
import { continueSignInRoute, startSignInRoute } from "./sign-in.ts";

/** What the pages ask of the service: the same core as for programs, behind sessions of their own. */
export function pageApiRoutes(app: App, core: Core): void {
  readJsonBodies(app);
  nameActors(app);
  sessionRoute(app, core);
  continueSignInRoute(app, core);
  app.register(async (admitted: App) => {
    admitPages(admitted, core);
    linkingRoutes(admitted, core);
    startSignInRoute(admitted, core);
  });
}
