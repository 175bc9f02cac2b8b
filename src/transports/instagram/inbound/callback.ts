import type { AppLink, InboundReply, InboundRequest } from "../../../core/transport/connector.ts";
import { messageOf } from "../../../platform/message-of.ts";
import { readCall as readBody } from "../../kit/call-body.ts";
import { settleAll } from "../../kit/settle-all.ts";
import { confirmAddress, idsNamedIn, isSignedBy, keepCall, signatureIn } from "../../meta/callback.ts";
import type { InstagramLink } from "../access.ts";
import { deliver } from "./delivery.ts";
import { type Notification, readCall } from "./notifications.ts";

/** Limits on parsed values and notifications. Meta puts up to 1,000 notifications into one call (page "Webhooks"). */
const MAX_VALUES = 150_000;
const MAX_BYTES = 4 * 1024 * 1024;
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
  if ("reason" in notifications) {
    const { businessIds } = idsNamedIn(notifications.text);
    return keepCall(notifications, await app.find({ messengerIds: businessIds, businessIds: [] }), app);
  }
  if (notifications.length === 0) app.reportUnknown("call");
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

interface Unread {
  readonly text: string;
  readonly reason: string;
}

function readNotifications(body: Uint8Array): Notification[] | Unread {
  const call = readBody(body, { maxValues: MAX_VALUES, maxBytes: MAX_BYTES });
  if ("reason" in call) return call;
  const unread = (reason: string): Unread => ({ text: new TextDecoder().decode(body), reason });
  try {
    const notifications = readCall(call.json);
    return notifications.length > MAX_NOTIFICATIONS
      ? unread(`The call has more than ${MAX_NOTIFICATIONS} notifications`)
      : notifications;
  } catch (error) {
    return unread(messageOf(error));
  }
}
