import { randomBytes } from "node:crypto";
import type { Attempt } from "../../callback/queue.ts";
import { callbackRoutes } from "../../callback/routes.ts";
import { readHttpEffect } from "../../http/fault.ts";
import { AdminError, type Fields, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import type { Fault, FaultEffect } from "../fault.ts";
import { platformLimits } from "../limiter.ts";
import { VkError } from "../vk-error.ts";
import type { CallRecord, World } from "../world.ts";

/** What was called and delivered, what can be made to go wrong, and how patient the emulator is. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
    ...callbackRoutes(world.callbacks, forge),
    ["POST", "/faults", ({ body }) => describeFault(world.faults.add(readFault(body)))],
    ["GET", "/faults", () => ({ items: world.faults.list().map(describeFault) })],
    ["DELETE", "/faults", () => world.faults.clear()],
    ["POST", "/flood", ({ body }) => setFlood(world, body)],
    ["DELETE", "/flood", () => world.limiter.limit(undefined)],
    ["GET", "/settings", () => describeSettings(world)],
    ["POST", "/settings", ({ body }) => changeSettings(world, body)],
    ["POST", "/time", ({ body }) => moveTime(world, body)],
  ];
}

function callsQuery({ query, ...call }: AdminCall) {
  const method = query.text("method");
  const code = query.integer("error_code");
  const unknown = query.flag("unknown");
  const refused = query.flag("refused");
  const whole = { query, ...call };
  if ([method, code, unknown, refused].every((filter) => filter === undefined))
    return journalQuery<CallRecord>(whole);
  return journalQuery<CallRecord>(
    whole,
    (entry) =>
      (method ?? entry.method) === entry.method &&
      (code ?? entry.error_code) === entry.error_code &&
      (unknown === undefined || unknown === (entry.unknown !== undefined)) &&
      (refused === undefined || refused === (entry.error_code !== undefined)),
  );
}

/** `{secret?}`: the event under another number, with that secret, or without any. */
function forge({ text }: Attempt, body: Fields): { text: string } {
  const { secret: _secret, ...event }: Record<string, unknown> = JSON.parse(text);
  const secret = body.text("secret");
  const event_id = randomBytes(20).toString("hex");
  return { text: JSON.stringify({ ...event, event_id, ...(secret !== undefined && { secret }) }) };
}

function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  const scope = {
    groupId: body.integer("group_id"),
    method: body.text("method")?.toLowerCase(),
    peerId: body.integer("peer_id"),
  };
  return { scope, left: body.integer("times") ?? 1, effect: readEffect(body) };
}

function readEffect(body: Fields): FaultEffect {
  const code = body.integer("error_code");
  const error = code === undefined ? {} : { error: new VkError(code, body.text("description")) };
  const effect = { ...readHttpEffect(body), ...error };
  if (Object.keys(effect).length > 0) return effect;
  throw new AdminError(400, "no_effect", "one of error_code, hang_ms, drop or http_status is needed");
}

function describeFault({ id, scope, left, hits, effect }: Fault): unknown {
  const { error, ...rest } = effect;
  return {
    id,
    group_id: scope.groupId ?? null,
    method: scope.method ?? null,
    peer_id: scope.peerId ?? null,
    left,
    hits,
    effect: { ...rest, ...(error && { error_code: error.code, error_msg: error.message }) },
  };
}

function setFlood(world: World, body: Fields): unknown {
  const limits = {
    groupPerSecond: body.number("group_per_second") ?? platformLimits.groupPerSecond,
    userPerSecond: body.number("user_per_second") ?? platformLimits.userPerSecond,
  };
  if (Object.values(limits).some((limit) => limit <= 0)) throw invalid("each limit", "greater than 0");
  world.limiter.limit(limits);
  return { group_per_second: limits.groupPerSecond, user_per_second: limits.userPerSecond };
}

function changeSettings(world: World, body: Fields): unknown {
  const { settings } = world;
  const confirmation = body.text("confirmation") ?? settings.confirmation;
  if (confirmation !== "before_answer" && confirmation !== "after_answer") {
    throw invalid("confirmation", "before_answer or after_answer");
  }
  world.settings = {
    retryScale: body.number("retry_scale") ?? settings.retryScale,
    callbackTimeoutMs: body.integer("callback_timeout_ms") ?? settings.callbackTimeoutMs,
    deliveries: body.integer("deliveries") ?? settings.deliveries,
    failuresToDisable: body.integer("failures_to_disable") ?? settings.failuresToDisable,
    confirmation,
    confirmationSecret: body.flag("confirmation_secret") ?? settings.confirmationSecret,
  };
  return describeSettings(world);
}

function describeSettings({ settings }: World): unknown {
  return {
    retry_scale: settings.retryScale,
    callback_timeout_ms: settings.callbackTimeoutMs,
    deliveries: settings.deliveries,
    failures_to_disable: settings.failuresToDisable,
    confirmation: settings.confirmation,
    confirmation_secret: settings.confirmationSecret,
  };
}

/** Moves the clock: `random_id`, edits, deletions, presses, codes, keys and the attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.now() };
}
