import { readHttpEffect } from "../../http/fault.ts";
import type { Fields } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import { GraphError } from "../../meta/graph-error.ts";
import { faultRoutes, needEffect } from "../../trouble/faults.ts";
import { floodRoutes } from "../../trouble/flood.ts";
import { deliveryKinds, type SettingKinds, settingRoutes } from "../../trouble/settings.ts";
import { errorText } from "../call/error-table.ts";
import { platformLimits } from "../call/limiter.ts";
import type { Fault, FaultEffect, FaultScope } from "../fault.ts";
import type { Settings, World } from "../world.ts";

/** Faults, limits and delivery settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ...faultRoutes(world.faults, readFault, describeFault),
    ...floodRoutes(platformLimits, (limits) => world.limiter.limit(limits)),
    ...settingRoutes(world, settingKinds),
    ["POST", "/time", ({ body }) => moveTime(world, body)],
  ];
}

const settingKinds: SettingKinds<Settings> = {
  ...deliveryKinds,
  autoStatuses: ["none", "sent", "delivered", "read"],
  windowErrors: ["later", "at_once"],
  userIds: "flag",
  mediaUrls: "flag",
  overrideScope: ["messages", "all"],
  templateReview: ["manual", "approve", "reject"],
  novelty: "integer",
};

function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  const scope: FaultScope = {
    node: body.text("node"),
    edge: body.text("edge"),
    method: body.text("method")?.toUpperCase(),
    to: body.text("to"),
  };
  return { scope, left: body.integer("times") ?? 1, effect: readEffect(body) };
}

function readEffect(body: Fields): FaultEffect {
  const code = body.integer("error_code");
  const later = body.integer("status_error_code");
  const details = body.text("details");
  const { raw, ...http } = readHttpEffect(body);
  const effect = {
    ...http,
    ...(code !== undefined && { error: readError(body, code) }),
    ...(later !== undefined && { status: { code: later, ...(details !== undefined && { details }) } }),
    // An error has its own status.
    ...(raw && code === undefined && { raw }),
  } satisfies FaultEffect;
  return needEffect(effect, "error_code, status_error_code, hang_ms, drop or http_status");
}

/** An error of the table, with the parts that the request overrides. */
function readError(body: Fields, code: number): GraphError {
  const text = errorText(code);
  const subcode = body.integer("error_subcode");
  const isWhatsApp = code > 1000 || body.has("details");
  return new GraphError(body.text("message") ?? `(#${code}) ${text.title}`, {
    status: body.integer("http_status") ?? text.status,
    type: "OAuthException",
    code,
    ...(subcode !== undefined && { subcode }),
    ...(isWhatsApp && { details: body.text("details") ?? text.details }),
    ...(text.transient && { transient: true }),
  });
}

function describeFault({ id, scope, left, hits, effect }: Fault): unknown {
  const { error, ...rest } = effect;
  return {
    id,
    node: scope.node ?? null,
    edge: scope.edge ?? null,
    method: scope.method ?? null,
    to: scope.to ?? null,
    left,
    hits,
    effect: { ...rest, ...(error && { error: { message: error.message, ...error.parts } }) },
  };
}

/** Moves the clock: windows, tokens, links, codes and the attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.now() };
}
