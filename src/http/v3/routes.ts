import type { Core } from "../../core/core.ts";
import type { App } from "../app.ts";
import { contactRoutes } from "./crm/contacts.ts";
import { dealRoutes } from "./crm/deals.ts";
import { pipelineRoutes } from "./crm/pipelines.ts";
import { unansweredRoute } from "./crm/unanswered.ts";
import { userRoutes } from "./crm/users.ts";
import { changeWebhooksRoute } from "./webhooks/change.ts";
import { getWebhooksRoute } from "./webhooks/get.ts";

const ROUTES = [
  getWebhooksRoute,
  changeWebhooksRoute,
  userRoutes,
  contactRoutes,
  dealRoutes,
  pipelineRoutes,
  unansweredRoute,
];

/** The interface for settings of an integration. */
export function v3Routes(app: App, core: Core): void {
  for (const add of ROUTES) add(app, core);
}
