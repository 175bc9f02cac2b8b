import type { AppLink, InboundReply, InboundRequest } from "../../core/transport/connector.ts";
import { parseLossless, TooManyValues } from "../kit/lossless-json.ts";
import { settleAll } from "../kit/settle-all.ts";
import { confirmAddress, isSignedBy, signatureIn } from "../meta/callback.ts";
import type { InstagramLink } from "./access.ts";
import { deliver } from "./delivery.ts";
import { type News, readCall } from "./news.ts";

/** Meta puts up to 1,000 pieces of news into one call (page "Webhooks"). */
const MAX_VALUES = 300_000;
const MAX_NEWS = 2_000;

/** Takes what Meta sends for all channels. Anything but 200 makes Meta repeat it, for up to 36 hours. */
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
  const news = readNews(request.body);
  if ("status" in news) return news;
  const messengerIds = [...new Set(news.map(({ accountId }) => accountId))];
  const channels = await app.find({ messengerIds, businessIds: [] });
  const ready = channels.filter((channel) => app.mayTake(channel));
  const work = ready.map(({ messengerId, link }) =>
    deliver(
      news.filter(({ accountId }) => accountId === messengerId),
      link,
    ),
  );
  await settleAll(work);
  return { status: ready.length === channels.length ? 200 : 429 };
}

function readNews(body: Uint8Array): News[] | InboundReply {
  try {
    const news = readCall(parseLossless(new TextDecoder().decode(body), MAX_VALUES));
    return news.length > MAX_NEWS ? { status: 413 } : news;
  } catch (error) {
    return { status: error instanceof TooManyValues ? 413 : 400 };
  }
}
