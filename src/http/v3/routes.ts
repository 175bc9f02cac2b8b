import type { Core } from "../../core/core.ts";
import type { App } from "../app.ts";
import { changeWebhooksRoute } from "./webhooks/change.ts";
import { getWebhooksRoute } from "./webhooks/get.ts";

const ROUTES = [getWebhooksRoute, changeWebhooksRoute];

/** The interface for settings of an integration. */
export function v3Routes(app: App, core: Core): void {
  for (const add of ROUTES) add(app, core);
}
