import { invalidField } from "../api-error.ts";
import { type ApiCall, bodyOf } from "../call.ts";

/** `POST /messenger/v3/webhook` */
export function addWebhook(call: ApiCall): unknown {
  const { account, clientId, world } = call;
  const url = readUrl(call);
  account.webhooks.set(url, { url, clientId });
  world.changed();
  return { ok: true };
}

/** `POST /messenger/v1/webhook/unsubscribe`: takes effect immediately. */
export function removeWebhook(call: ApiCall): unknown {
  const { account, world } = call;
  const url = readUrl(call);
  account.webhooks.delete(url);
  world.callbacks.drop(String(account.id), url);
  world.changed();
  return { ok: true };
}

/** `POST /messenger/v1/subscriptions`: a POST that only reads. */
export function getSubscriptions({ account }: ApiCall): unknown {
  return { subscriptions: [...account.webhooks.keys()].map((url) => ({ url, version: "3" })) };
}

function readUrl(call: ApiCall): string {
  const url = bodyOf(call, ["url"]).needText("url");
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw invalidField("url", "must be a URL");
}
