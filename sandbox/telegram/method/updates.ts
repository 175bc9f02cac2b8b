import type { Bot, WebhookConfig } from "../bot.ts";
import { badRequest, conflict, tooManyRequests } from "../call/api-error.ts";
import { type Call, Remarked } from "../call/call.ts";
import type { Delivery } from "../update/delivery.ts";
import { checkWebhookUrl } from "../update/webhook-url.ts";

/** Finds the delivery of a bot. */
export type DeliveryOf = (bot: Bot) => Delivery;

/** https://core.telegram.org/bots/api#getupdates */
export function getUpdates(call: Call, delivery: Delivery): unknown {
  const { bot, args, signal } = call;
  if (bot.webhook) {
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  readAllowedUpdates(call);
  return delivery.poller.poll({
    offset: args.integer("offset", 0),
    limit: args.integer("limit", 100, 1, 100),
    timeoutSeconds: args.integer("timeout", 0, 0, 50),
    signal,
  });
}

/** https://core.telegram.org/bots/api#setwebhook */
export function setWebhook(call: Call, delivery: Delivery): Remarked {
  const { bot, world, args } = call;
  const url = args.text("url");
  if (url === "") return deleteWebhook(call, delivery);
  const nowMs = Date.now();
  if (nowMs < bot.webhookSetAtMs + 1000 * world.settings.waitScale) throw tooManyRequests(1);
  bot.webhookSetAtMs = nowMs;
  const config = readConfig(call, url);
  const unchanged = bot.webhook && isSame(bot.webhook, config) && !args.flag("drop_pending_updates");
  readAllowedUpdates(call);
  if (unchanged) return new Remarked(true, "Webhook is already set");
  if (args.flag("drop_pending_updates")) bot.updates.drop();
  bot.webhook = config;
  world.changed();
  delivery.restart();
  return new Remarked(true, "Webhook was set");
}

/** https://core.telegram.org/bots/api#deletewebhook */
export function deleteWebhook({ bot, world, args }: Call, delivery: Delivery): Remarked {
  if (args.flag("drop_pending_updates")) bot.updates.drop();
  if (!bot.webhook) return new Remarked(true, "Webhook is already deleted");
  bot.webhook = undefined;
  world.changed();
  delivery.restart();
  return new Remarked(true, "Webhook was deleted");
}

/** https://core.telegram.org/bots/api#getwebhookinfo */
export function getWebhookInfo({ bot, world }: Call): unknown {
  bot.updates.expire(world.clock.nowMs());
  const { webhook, allowedUpdates } = bot;
  return {
    url: webhook?.url ?? "",
    has_custom_certificate: webhook?.hasCertificate ?? false,
    pending_update_count: bot.updates.size,
    ...(webhook?.ipAddress && { ip_address: webhook.ipAddress }),
    ...(webhook?.lastErrorDate !== undefined && {
      last_error_date: webhook.lastErrorDate,
      last_error_message: webhook.lastErrorMessage,
    }),
    ...(webhook && { max_connections: webhook.maxConnections }),
    ...(allowedUpdates && { allowed_updates: [...allowedUpdates] }),
  };
}

function readConfig({ args }: Call, url: string): WebhookConfig {
  checkWebhookUrl(url);
  const secret = args.text("secret_token");
  if (secret.length > 256) throw badRequest("secret token is too long");
  if (/[^\w-]/.test(secret)) throw badRequest("secret token contains unallowed characters");
  return {
    url,
    secret: secret === "" ? undefined : secret,
    maxConnections: args.integer("max_connections", 40, 1, 100),
    ipAddress: args.text("ip_address") || undefined,
    hasCertificate: args.uploads.has("certificate"),
  };
}

function isSame(a: WebhookConfig, b: WebhookConfig): boolean {
  return (
    a.url === b.url &&
    a.secret === b.secret &&
    a.maxConnections === b.maxConnections &&
    a.ipAddress === b.ipAddress &&
    !a.hasCertificate &&
    !b.hasCertificate
  );
}

/** An absent list keeps the setting; an empty one restores the default. */
function readAllowedUpdates({ bot, args, world }: Call): void {
  const list = args.list("allowed_updates", "allowed updates");
  if (!list) return;
  bot.allowedUpdates = list.length === 0 ? undefined : new Set(list.map(String));
  world.changed();
}
