import { type Fields, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { faultRoutes } from "../../trouble/faults.ts";
import { floodRoutes } from "../../trouble/flood.ts";
import { settingRoutes } from "../../trouble/settings.ts";
import { type Fault, forgeries } from "../fault.ts";
import { settingKinds } from "../settings.ts";
import { type Flood, usualFlood, type World } from "../world/world.ts";
import { describeFault } from "./describe.ts";

/** Faults, the clock, and settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ...faultRoutes(world.faults, readFault, describeFault),
    ...floodRoutes(usualFlood, (limits) => setFlood(world, limits)),
    ...settingRoutes(world, settingKinds),
    ["POST", "/time", ({ body }) => advance(world, body)],
  ];
}

/** Selects requests by `{opcode?, phone?, chat_id?}`; the effect is in `Fault`. */
function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  const times = body.integer("times") ?? 1;
  return {
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
  };
}

function oneOf<T extends string>(body: Fields, name: string, allowed: readonly T[]): T | undefined {
  const value = body.text(name);
  const found = allowed.find((each) => each === value);
  if (value !== undefined && found === undefined) throw invalid(name, `one of ${allowed.join(", ")}`);
  return found;
}

function setFlood(world: World, limits: Flood | undefined): void {
  world.rates.clear();
  world.flood = limits;
}

function advance(world: World, body: AdminCall["body"]): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  return { now: world.clock.now() };
}
