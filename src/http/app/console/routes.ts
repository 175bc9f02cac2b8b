import type { Core } from "../../../core/core.ts";
import { nameActors } from "../../actor.ts";
import type { App } from "../../app.ts";
import { readJsonBodies } from "../../schema/body.ts";
import { interfaceRoutes } from "./account-routes.ts";
import { accountRoutes } from "./accounts.ts";
import { admitOperators, requireAccounts } from "./admission.ts";
import { alertRoutes } from "./alerts.ts";
import { channelRoutes } from "./channels.ts";
import { chartRoute } from "./charts.ts";
import { messageRoutes } from "./messages.ts";
import { operatorRoutes } from "./operators.ts";
import { overviewRoute } from "./overview.ts";
import { ownAccessRoutes } from "./own-access.ts";
import { partnerRoutes } from "./partners.ts";
import { providerRoutes } from "./provider.ts";
import { queueRoutes } from "./queue.ts";
import { consoleReceiverRoutes } from "./receivers.ts";
import { recordingRoutes } from "./recordings.ts";
import { refusedRoutes } from "./refused.ts";
import { sessionRoutes, signInRoutes } from "./session.ts";
import { sinkRoute } from "./sink.ts";
import { type Installation, systemRoutes } from "./system.ts";

/** The console's routes, with their own sessions. */
export function consoleRoutes(app: App, core: Core, installation: Installation): void {
  readJsonBodies(app);
  nameActors(app);
  signInRoutes(app, core);
  providerRoutes(app, core);
  app.register(async (admitted: App) => {
    admitOperators(admitted, core);
    requireAccounts(admitted, core);
    sessionRoutes(admitted, core);
    ownAccessRoutes(admitted, core);
    operatorRoutes(admitted, core);
    overviewRoute(admitted, core);
    chartRoute(admitted, core);
    alertRoutes(admitted, core);
    channelRoutes(admitted, core);
    queueRoutes(admitted, core);
    refusedRoutes(admitted, core);
    recordingRoutes(admitted, core);
    messageRoutes(admitted, core);
    consoleReceiverRoutes(admitted, core);
    accountRoutes(admitted, core);
    partnerRoutes(admitted, core);
    systemRoutes(admitted, core, installation);
    sinkRoute(admitted, core);
    interfaceRoutes(admitted, core);
  });
}
