import { randomBytes } from "node:crypto";
import type { Attempt } from "../../callback/queue.ts";
import { callbackRoutes } from "../../callback/routes.ts";
import { readHttpEffect } from "../../http/fault.ts";
import type { Fields } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import { faultRoutes, needEffect } from "../../trouble/faults.ts";
import { floodRoutes } from "../../trouble/flood.ts";
import { deliveryKinds, type SettingKinds, settingRoutes } from "../../trouble/settings.ts";
import { platformLimits } from "../call/limiter.ts";
import { VkError } from "../call/vk-error.ts";
import type { Fault, FaultEffect } from "../fault.ts";
import type { CallRecord, Settings, World } from "../world.ts";

/** Recorded calls and deliveries, faults, limits and delivery settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
    ...callbackRoutes(world.callbacks, forge),
    ...faultRoutes(world.faults, readFault, describeFault),
    ...floodRoutes(platformLimits, (limits) => world.limiter.limit(limits)),
    ...settingRoutes(world, settingKinds),
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

/** `{secret?}`: the event with another id, with that secret or none. */
function forge({ text }: Attempt, body: Fields): { text: string } {
  const { secret: _secret, ...event }: Record<string, unknown> = JSON.parse(text);
  const secret = body.text("secret");
  const event_id = randomBytes(20).toString("hex");
  return { text: JSON.stringify({ ...event, event_id, ...(secret !== undefined && { secret }) }) };
}

const settingKinds: SettingKinds<Settings> = {
  ...deliveryKinds,
  failuresToDisable: "integer",
  confirmation: ["before_answer", "after_answer"],
  confirmationSecret: "flag",
  novelty: "integer",
};

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
  return needEffect(effect, "error_code, hang_ms, drop or http_status");
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

/** Moves the clock: `random_id`, edits, deletions, presses, codes, keys and the attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.now() };
}
