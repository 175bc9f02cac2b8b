import type { Core } from "../../core/core.ts";
import type { App } from "../app.ts";
import { createChannelRoute } from "./channels/create.ts";
import { getChannelRoute } from "./channels/get.ts";
import { listChannelsRoute } from "./channels/list.ts";
import { pacingRoutes } from "./channels/pacing.ts";
import { pairingCodeRoute } from "./channels/pairing-code.ts";
import { passkeyRoutes } from "./channels/passkey.ts";
import { phoneCheckRoute } from "./channels/phone-check.ts";
import { reinitChannelRoute } from "./channels/reinit.ts";
import { removeChannelRoute } from "./channels/remove.ts";
import { twoFactorRoute } from "./channels/two-factor.ts";
import { chatMarkRoutes } from "./chats/marks.ts";
import { chatReadingRoutes } from "./chats/reading.ts";
import { contactRoutes } from "./crm/contacts.ts";
import { dealRoutes } from "./crm/deals.ts";
import { pipelineRoutes } from "./crm/pipelines.ts";
import { clearUnansweredRoute, unansweredCounterRoute } from "./crm/unanswered.ts";
import { userRoutes } from "./crm/users.ts";
import { groupRoutes } from "./groups/groups.ts";
import { channelsLinkRoute } from "./iframe-links/channels.ts";
import { chatsLinkRoute } from "./iframe-links/chats.ts";
import { editMessageRoute } from "./messages/edit.ts";
import { exportRoutes } from "./messages/exports.ts";
import { proposalRoutes } from "./messages/proposals.ts";
import { reactionRoutes } from "./messages/react.ts";
import { removeMessageRoute } from "./messages/remove.ts";
import { searchMessagesRoute } from "./messages/search.ts";
import { sendMessageRoute } from "./messages/send.ts";
import { cannedAnswerRoutes } from "./templates/canned-answers.ts";
import { templateRoutes } from "./templates/templates.ts";
import { webhookSubscriptionRoutes } from "./webhooks/subscriptions.ts";

const ROUTES = [
  createChannelRoute,
  listChannelsRoute,
  getChannelRoute,
  removeChannelRoute,
  reinitChannelRoute,
  twoFactorRoute,
  pairingCodeRoute,
  passkeyRoutes,
  pacingRoutes,
  phoneCheckRoute,
  sendMessageRoute,
  proposalRoutes,
  searchMessagesRoute,
  editMessageRoute,
  removeMessageRoute,
  reactionRoutes,
  exportRoutes,
  chatReadingRoutes,
  chatMarkRoutes,
  groupRoutes,
  templateRoutes,
  cannedAnswerRoutes,
  userRoutes,
  contactRoutes,
  dealRoutes,
  pipelineRoutes,
  unansweredCounterRoute,
  clearUnansweredRoute,
  webhookSubscriptionRoutes,
  channelsLinkRoute,
  chatsLinkRoute,
];

/** The interface for channels and messages. */
export function v2Routes(app: App, core: Core): void {
  for (const add of ROUTES) add(app, core);
}
