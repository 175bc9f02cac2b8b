import { Refusal } from "../../http/api-server.ts";
import { readHttpEffect } from "../../http/fault.ts";
import { type Fields, invalid } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import { faultRoutes, needEffect } from "../../trouble/faults.ts";
import { floodRoutes } from "../../trouble/flood.ts";
import { deliveryKinds, type SettingKinds, settingRoutes } from "../../trouble/settings.ts";
import type { Fault } from "../fault.ts";
import { statusReply } from "../status.ts";
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
  autoReceipts: ["none", "delivered", "seen"],
  sigParameter: "flag",
  novelty: "integer",
};

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
  return needEffect(effect, "status, hang_ms, drop or http_status");
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

function setLimits(world: World, limits: World["limits"]): void {
  world.limiter.clear();
  world.limits = limits;
}

/** Moves the clock: sessions, the hour of unanswered messages, links, attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.nowMs() };
}
