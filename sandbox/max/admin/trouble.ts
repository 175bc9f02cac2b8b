import { invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { type Fault, forgeries } from "../fault.ts";
import { changeSettings, describeSettings } from "../settings.ts";
import type { World } from "../world/world.ts";
import { describeFault } from "./describe.ts";

/** What goes wrong on purpose, the clock, and settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ["POST", "/faults", ({ body }) => describeFault(addFault(world, body))],
    ["GET", "/faults", () => ({ items: world.faults.list().map(describeFault) })],
    ["DELETE", "/faults", () => world.faults.clear()],
    ["POST", "/flood", ({ body }) => setFlood(world, body)],
    ["DELETE", "/flood", () => endFlood(world)],
    ["GET", "/settings", () => describeSettings(world.settings)],
    ["POST", "/settings", ({ body }) => applySettings(world, body)],
    ["POST", "/time", ({ body }) => advance(world, body)],
  ];
}

/** Requests that fit `{opcode?, phone?, chat_id?}`; what happens to them is in `Fault`. */
function addFault(world: World, body: AdminCall["body"]): Fault {
  const times = body.integer("times") ?? 1;
  return world.faults.add({
    opcode: body.integer("opcode"),
    phone: body.text("phone"),
    chatId: body.integer("chat_id"),
    error: body.text("error"),
    message: body.text("message"),
    hangMs: body.integer("hang_ms"),
    drop: oneOf(body, "drop", ["before", "after"]),
    silent: oneOf(body, "silent", ["before", "after"]),
    forge: oneOf(body, "forge", forgeries),
    left: times,
    always: times === 0,
  });
}

function oneOf<T extends string>(
  body: AdminCall["body"],
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = body.text(name);
  const found = allowed.find((each) => each === value);
  if (value !== undefined && found === undefined) throw invalid(name, `one of ${allowed.join(", ")}`);
  return found;
}

function setFlood(world: World, body: AdminCall["body"]): unknown {
  const sendsPerMinute = body.integer("sends_per_minute") ?? 30;
  const lookupsPerMinute = body.integer("lookups_per_minute") ?? 10;
  world.flood = { sendsPerMinute, lookupsPerMinute };
  return { sends_per_minute: sendsPerMinute, lookups_per_minute: lookupsPerMinute };
}

function endFlood(world: World): unknown {
  world.flood = { sendsPerMinute: 0, lookupsPerMinute: 0 };
  world.rates.clear();
  return {};
}

function applySettings(world: World, body: AdminCall["body"]): unknown {
  world.settings = changeSettings(world.settings, body);
  return describeSettings(world.settings);
}

function advance(world: World, body: AdminCall["body"]): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  return { now: world.clock.now() };
}
