import type { Core } from "../../../core/core.ts";
import { nameActors } from "../../actor.ts";
import type { App } from "../../app.ts";
import { readJsonBodies } from "../../body.ts";
import { admitOperators } from "./admission.ts";
import { operatorRoutes } from "./operators.ts";
import { ownAccessRoutes } from "./own-access.ts";
import { sessionRoutes, signInRoutes } from "./session.ts";

/** What the console asks of the service, behind sessions of its own. */
export function consoleRoutes(app: App, core: Core): void {
  readJsonBodies(app);
  nameActors(app);
  signInRoutes(app, core);
  app.register(async (admitted: App) => {
    admitOperators(admitted, core);
    sessionRoutes(admitted, core);
    ownAccessRoutes(admitted, core);
    operatorRoutes(admitted, core);
  });
}
