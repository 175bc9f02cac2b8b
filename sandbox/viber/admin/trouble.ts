import { Refusal } from "../../http/api-server.ts";
import { readHttpEffect } from "../../http/fault.ts";
import { AdminError, type Fields, invalid } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import type { Fault } from "../fault.ts";
import { statusReply } from "../status.ts";
import { platformLimits, type Settings, type World } from "../world.ts";

/** What can be made to go wrong, and how patient the platform is. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ["POST", "/faults", ({ body }) => describeFault(world.faults.add(readFault(body)))],
    ["GET", "/faults", () => ({ items: world.faults.list().map(describeFault) })],
    ["DELETE", "/faults", () => world.faults.clear()],
    ["POST", "/flood", ({ body }) => setFlood(world, body)],
    ["DELETE", "/flood", () => endFlood(world)],
    ["GET", "/settings", () => describeSettings(world.settings)],
    ["POST", "/settings", ({ body }) => changeSettings(world, body)],
    ["POST", "/time", ({ body }) => moveTime(world, body)],
  ];
}

function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  return {
    botId: body.text("bot_id"),
    method: body.text("method"),
    viberId: body.text("viber_id"),
    left: body.integer("times") ?? 1,
    effect: readEffect(body),
  };
}

function readEffect(body: Fields): Fault["effect"] {
  const status = body.integer("status");
  const effect = {
    ...readHttpEffect(body),
    ...(status !== undefined && { refusal: readRefusal(body, status) }),
  };
  if (Object.keys(effect).length > 0) return effect;
  throw new AdminError(400, "no_effect", "one of status, hang_ms, drop or http_status is needed");
}

function readRefusal(body: Fields, status: number): Refusal {
  if (status < 1) throw invalid("status", "greater than 0");
  return new Refusal(`status ${status}`, statusReply(status, {}, body.text("status_message")));
}

function describeFault({ id, botId, method, viberId, left, hits, effect }: Fault): unknown {
  const { refusal, ...rest } = effect;
  return {
    id,
    bot_id: botId ?? null,
    method: method ?? null,
    viber_id: viberId ?? null,
    left,
    hits,
    effect: { ...rest, ...(refusal && { error: refusal.message }) },
  };
}

/** Switches the platform's rates on, or others. */
function setFlood(world: World, body: Fields): unknown {
  const limits = {
    messagesPerSecond: body.number("messages_per_second") ?? platformLimits.messagesPerSecond,
    broadcastsPerSecond: body.number("broadcasts_per_second") ?? platformLimits.broadcastsPerSecond,
    detailsPerHalfDay: body.number("details_per_half_day") ?? platformLimits.detailsPerHalfDay,
  };
  if (Object.values(limits).some((limit) => limit <= 0)) throw invalid("each limit", "greater than 0");
  world.limiter.clear();
  world.limits = limits;
  return {
    messages_per_second: limits.messagesPerSecond,
    broadcasts_per_second: limits.broadcastsPerSecond,
    details_per_half_day: limits.detailsPerHalfDay,
  };
}

function endFlood(world: World): void {
  world.limits = undefined;
  world.limiter.clear();
}

function changeSettings(world: World, body: Fields): unknown {
  const { settings } = world;
  world.settings = {
    retryScale: body.number("retry_scale") ?? settings.retryScale,
    callbackTimeoutMs: body.integer("callback_timeout_ms") ?? settings.callbackTimeoutMs,
    deliveries: body.integer("deliveries") ?? settings.deliveries,
    autoReceipts: readReceipts(body) ?? settings.autoReceipts,
    sigParameter: body.flag("sig_parameter") ?? settings.sigParameter,
  };
  return describeSettings(world.settings);
}

function readReceipts(body: Fields): Settings["autoReceipts"] | undefined {
  const text = body.text("auto_receipts");
  if (text === undefined || text === "none" || text === "delivered" || text === "seen") return text;
  throw invalid("auto_receipts", "none, delivered or seen");
}

function describeSettings(settings: Settings): unknown {
  return {
    retry_scale: settings.retryScale,
    callback_timeout_ms: settings.callbackTimeoutMs,
    deliveries: settings.deliveries,
    auto_receipts: settings.autoReceipts,
    sig_parameter: settings.sigParameter,
  };
}

/** Moves the clock: sessions, the hour of unanswered messages, links, attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.nowMs() };
}
