import type { Core } from "../../core/core.ts";
import type { App } from "../app.ts";
import { auditRoute } from "./audit.ts";
import { listChannelsRoute } from "./channels/list.ts";
import { contactRoutes } from "./crm/contacts.ts";
import { dealRoutes } from "./crm/deals.ts";
import { pipelineRoutes } from "./crm/pipelines.ts";
import { unansweredRoute } from "./crm/unanswered.ts";
import { userRoutes } from "./crm/users.ts";
import { iframeRoute } from "./iframe.ts";
import { editMessageRoute } from "./messages/edit.ts";
import { removeMessageRoute } from "./messages/remove.ts";
import { sendMessageRoute } from "./messages/send.ts";
import { listTemplatesRoute } from "./templates/list.ts";
import { changeWebhooksRoute } from "./webhooks/change.ts";
import { deliveryRoutes } from "./webhooks/deliveries.ts";
import { getWebhooksRoute } from "./webhooks/get.ts";
import { parkedRoutes } from "./webhooks/parked.ts";
import { receiverRoutes } from "./webhooks/receivers.ts";
import { replayRoutes } from "./webhooks/replay.ts";
import { secretRoutes } from "./webhooks/secret.ts";
import { testReceiverRoute } from "./webhooks/test-receiver.ts";

const ROUTES = [
  listChannelsRoute,
  sendMessageRoute,
  editMessageRoute,
  removeMessageRoute,
  listTemplatesRoute,
  getWebhooksRoute,
  changeWebhooksRoute,
  receiverRoutes,
  secretRoutes,
  testReceiverRoute,
  deliveryRoutes,
  parkedRoutes,
  replayRoutes,
  userRoutes,
  contactRoutes,
  dealRoutes,
  pipelineRoutes,
  unansweredRoute,
  iframeRoute,
  auditRoute,
];

/** The interface for settings of an integration. */
export function v3Routes(app: App, core: Core): void {
  for (const add of ROUTES) add(app, core);
}
