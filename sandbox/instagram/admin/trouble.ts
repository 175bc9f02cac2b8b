import { callbackRoutes } from "../../callback/routes.ts";
import type { CallEffect } from "../../http/api-server.ts";
import { readHttpEffect } from "../../http/fault.ts";
import type { Fields } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import { callsQuery } from "../../meta/calls-query.ts";
import { forgeSignature } from "../../meta/forge.ts";
import { GraphError } from "../../meta/graph-error.ts";
import { faultRoutes, needEffect } from "../../trouble/faults.ts";
import { floodRoutes } from "../../trouble/flood.ts";
import { deliveryKinds, type SettingKinds, settingRoutes } from "../../trouble/settings.ts";
import { platformLimits } from "../call/limiter.ts";
import type { Fault } from "../fault.ts";
import { refusalOf } from "../graph.ts";
import type { Settings, World } from "../world.ts";

/** Recorded calls and deliveries, faults, limits and delivery settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
    ...callbackRoutes(world.callbacks, forgeSignature),
    ...faultRoutes(world.faults, readFault, describeFault),
    ...floodRoutes(platformLimits, (limits) => world.limiter.limit(limits)),
    ...settingRoutes(world, settingKinds),
    ["POST", "/time", ({ body }) => moveTime(world, body)],
  ];
}

const settingKinds: SettingKinds<Settings> = {
  ...deliveryKinds,
  changeForm: ["changes", "entry"],
  seenForm: ["mid", "watermark"],
  replyTo: ["refused", "accepted"],
  codeForm: ["data", "plain"],
  announceEdits: "flag",
  novelty: "integer",
};

function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  const scope = {
    node: body.text("node"),
    edge: body.text("edge"),
    method: body.text("method")?.toUpperCase(),
    to: body.text("to"),
  };
  return { scope, left: body.integer("times") ?? 1, effect: readEffect(body) };
}

function readEffect(body: Fields): CallEffect {
  const code = body.integer("error_code");
  const { raw, ...http } = readHttpEffect(body);
  const effect = {
    ...http,
    ...(code !== undefined && { refusal: refusalOf(readError(body, code)) }),
    // An error has its own status.
    ...(raw && code === undefined && { raw }),
  };
  return needEffect(effect, "error_code, hang_ms, drop or http_status");
}

const usualErrors: Readonly<Record<number, readonly [status: number, message: string]>> = {
  1: [500, "An unknown error occurred"],
  2: [503, "An unexpected error has occurred. Please retry your request later."],
  4: [403, "(#4) Application request limit reached"],
  10: [403, "(#10) Application does not have permission for this action"],
  17: [400, "(#17) User request limit reached"],
  32: [400, "(#32) Page request limit reached"],
  190: [401, "Error validating access token"],
  200: [403, "(#200) Permissions error"],
  368: [403, "(#368) The action attempted has been deemed abusive or is otherwise disallowed"],
  551: [400, "(#551) This person isn't available right now."],
  613: [400, "(#613) Calls to this api have exceeded the rate limit."],
};

function readError(body: Fields, code: number): GraphError {
  const [status, message] = usualErrors[code] ?? [400, `(#${code}) Error`];
  const subcode = body.integer("error_subcode");
  return new GraphError(body.text("message") ?? message, {
    status: body.integer("http_status") ?? status,
    type: "OAuthException",
    code,
    ...(subcode !== undefined && { subcode }),
    ...((code === 1 || code === 2) && { transient: true }),
  });
}

function describeFault({ id, scope, left, hits, effect }: Fault): unknown {
  const { refusal, ...rest } = effect;
  return {
    id,
    node: scope.node ?? null,
    edge: scope.edge ?? null,
    method: scope.method ?? null,
    to: scope.to ?? null,
    left,
    hits,
    effect: { ...rest, ...(refusal && { error: refusal.message, http_status: refusal.reply.status }) },
  };
}

/** Moves the clock: windows, private replies, codes, tokens and the attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.now() };
}
