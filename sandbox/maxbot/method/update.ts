import { apiError, badPayload } from "../call/api-error.ts";
import { type ApiCall, bodyOf } from "../call/call.ts";
import { updateTypes } from "../update/update.ts";

const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;

/** https://dev.max.ru/docs-api/methods/GET/updates: not allowed while there is a subscription. */
export async function getUpdates({ bot, query, signal }: ApiCall): Promise<unknown> {
  query.only(["limit", "timeout", "marker", "types"]);
  if (bot.subscriptions.size > 0)
    throw apiError(
      405,
      "method.not.allowed",
      "Long polling is not available while there is a webhook subscription",
    );
  const types = query.text("types");
  return bot.updates.poll({
    marker: query.integer("marker"),
    limit: query.between("limit", 1, 1000) ?? 100,
    timeoutMs: (query.between("timeout", 0, 90) ?? 30) * 1000,
    types: types ? new Set(types.split(",")) : undefined,
    signal,
  });
}

/** https://dev.max.ru/docs-api/methods/GET/subscriptions */
export function getSubscriptions({ bot, query }: ApiCall): unknown {
  query.only([]);
  const subscriptions = [...bot.subscriptions.values()];
  return {
    subscriptions: subscriptions.map(({ url, time, updateTypes: types }) => ({
      url,
      time,
      update_types: types,
    })),
  };
}

/** https://dev.max.ru/docs-api/methods/POST/subscriptions */
export function subscribe(call: ApiCall): unknown {
  const { bot, world } = call;
  const body = bodyOf(call, ["url", "update_types", "secret"]);
  const url = checkUrl(body.needText("url"));
  const secret = body.text("secret");
  if (secret !== undefined && !/^[a-zA-Z0-9_-]{5,256}$/.test(secret))
    throw badPayload("secret: must match ^[a-zA-Z0-9_-]{5,256}$");
  const types = body.list("update_types")?.map(readType);
  bot.subscriptions.set(url, {
    url,
    time: world.clock.nowMs(),
    updateTypes: types && types.length > 0 ? types : null,
    secret,
    failingSinceMs: undefined,
  });
  world.changed();
  return { success: true };
}

function readType(type: unknown): string {
  const found = updateTypes.find((known) => known === type);
  if (found) return found;
  throw badPayload(`Unknown update type '${String(type)}'`);
}

/** https on port 443; on loopback any address, because certificates are not available there. */
function checkUrl(url: string): string {
  if (loopback.test(url) && URL.canParse(url)) return url;
  if (!url.startsWith("https://") || !URL.canParse(url)) throw badPayload("url: must start with https://");
  if (new URL(url).port !== "") throw badPayload("url: only port 443 is supported");
  return url;
}

/** https://dev.max.ru/docs-api/methods/DELETE/subscriptions */
export function unsubscribe({ bot, query, world }: ApiCall): unknown {
  const url = query.only(["url"]).needText("url");
  if (!bot.subscriptions.delete(url))
    return { success: false, message: `There is no subscription to ${url}` };
  world.callbacks.drop(String(bot.id), url);
  world.changed();
  return { success: true };
}
