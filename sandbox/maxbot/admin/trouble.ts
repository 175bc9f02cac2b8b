import { Refusal } from "../../http/api-server.ts";
import { readHttpEffect } from "../../http/fault.ts";
import type { Fields } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import { faultRoutes, needEffect } from "../../trouble/faults.ts";
import { floodRoutes } from "../../trouble/flood.ts";
import { deliveryKinds, type SettingKinds, settingRoutes } from "../../trouble/settings.ts";
import type { Fault } from "../fault.ts";
import { dropDeadOf } from "../update/announce.ts";
import { platformLimits, type Settings, type World } from "../world.ts";

/** Faults, limits and delivery settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ...faultRoutes(world.faults, readFault, describeFault),
    ...floodRoutes(platformLimits, (limits) => setLimits(world, limits)),
    ...settingRoutes(world, settingKinds),
    ["POST", "/time", ({ body }) => moveTime(world, body)],
  ];
}

const settingKinds: SettingKinds<Settings> = {
  ...deliveryKinds,
  notReadyCalls: "integer",
  callbackChatIds: "flag",
  novelty: "integer",
};

function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  return {
    botId: body.integer("bot_id"),
    method: body.text("method")?.toUpperCase(),
    node: body.text("node"),
    chatId: body.integer("chat_id"),
    left: body.integer("times") ?? 1,
    effect: readEffect(body),
  };
}

function readEffect(body: Fields): Fault["effect"] {
  const code = body.text("code");
  const { raw, ...http } = readHttpEffect(body);
  const effect = {
    ...http,
    ...(code !== undefined && { refusal: readRefusal(body, code) }),
    // A code has its own status.
    ...(raw && code === undefined && { raw }),
  };
  return needEffect(effect, "code, hang_ms, drop or http_status");
}

/** The platform's errors, with their usual status and text. */
const errors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  "verify.token": [401, "Invalid access_token"],
  "proto.payload": [400, "Invalid request"],
  "attachment.not.ready": [400, "Key: errors.process.attachment.file.not.processed"],
  "chat.denied": [403, "error.dialog.suspended"],
  "chat.not.found": [404, "chat.not.found"],
  "message.not.found": [404, "Message not found"],
  "method.not.allowed": [405, "Method is not allowed"],
  "too.many.requests": [429, "Too many requests"],
  "internal.error": [500, "Internal error"],
  "service.unavailable": [503, "Service unavailable"],
};

function readRefusal(body: Fields, code: string): Refusal {
  const [usualStatus, usualMessage] = errors[code] ?? [400, code];
  const status = body.integer("http_status") ?? usualStatus;
  const message = body.text("message") ?? usualMessage;
  const retryAfter = body.integer("retry_after");
  return new Refusal(`${code}: ${message}`, {
    status,
    json: JSON.stringify({ code, message }),
    ...(retryAfter !== undefined && { headers: { "Retry-After": String(retryAfter) } }),
  });
}

function describeFault({ id, botId, method, node, chatId, left, hits, effect }: Fault): unknown {
  const { refusal, ...rest } = effect;
  return {
    id,
    bot_id: botId ?? null,
    method: method ?? null,
    node: node ?? null,
    chat_id: chatId ?? null,
    left,
    hits,
    effect: { ...rest, ...(refusal && { error: refusal.message }) },
  };
}

function setLimits(world: World, limits: World["limits"]): void {
  world.limiter.clear();
  world.limits = limits;
}

/** Moves the clock: edit windows, attempts of callbacks, subscriptions that have failed for long. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  for (const bot of world.bots.values()) dropDeadOf(world, bot);
  world.callbacks.hurry();
  return { now: world.clock.nowMs() };
}
