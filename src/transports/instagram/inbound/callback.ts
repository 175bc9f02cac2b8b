import type { AppLink, InboundReply, InboundRequest } from "../../../core/transport/connector.ts";
import { parseLossless, TooManyValues } from "../../kit/lossless-json.ts";
import { settleAll } from "../../kit/settle-all.ts";
import { confirmAddress, isSignedBy, signatureIn } from "../../meta/callback.ts";
import type { InstagramLink } from "../access.ts";
import { deliver } from "./delivery.ts";
import { type Notification, readCall } from "./notifications.ts";

/** Limits on parsed values and notifications. Meta puts up to 1,000 notifications into one call (page "Webhooks"). */
const MAX_VALUES = 300_000;
const MAX_NOTIFICATIONS = 2_000;

/**
 * Receives Meta's webhook calls for all channels. Meta retries a call answered with anything but 200, for up to 36
 * hours.
 */
export async function receiveForApp(
  request: InboundRequest,
  app: AppLink<InstagramLink>,
): Promise<InboundReply> {
  if (request.method === "GET")
    return confirmAddress(request.query, [app.callbackSecret, app.settings.verifyToken]);
  if (request.method !== "POST") return { status: 405 };
  const signature = signatureIn(request.headers);
  if (signature === null || !isSignedBy(request.body, signature, app.settings.appSecret))
    return { status: 401 };
  const notifications = readNotifications(request.body);
  if ("status" in notifications) return notifications;
  const messengerIds = [...new Set(notifications.map(({ accountId }) => accountId))];
  const channels = await app.find({ messengerIds, businessIds: [] });
  const ready = channels.filter((channel) => app.mayTake(channel));
  const work = ready.map(({ messengerId, link }) =>
    deliver(
      notifications.filter(({ accountId }) => accountId === messengerId),
      link,
    ),
  );
  await settleAll(work);
  return { status: ready.length === channels.length ? 200 : 429 };
}

function readNotifications(body: Uint8Array): Notification[] | InboundReply {
  try {
    const notifications = readCall(parseLossless(new TextDecoder().decode(body), MAX_VALUES));
    return notifications.length > MAX_NOTIFICATIONS ? { status: 413 } : notifications;
  } catch (error) {
    return { status: error instanceof TooManyValues ? 413 : 400 };
  }
}
