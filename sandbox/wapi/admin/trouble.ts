import { readHttpEffect } from "../../http/fault.ts";
import { AdminError, type Fields, invalid } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import { GraphError } from "../../meta/graph-error.ts";
import { errorText } from "../error-table.ts";
import type { Fault, FaultEffect, FaultScope } from "../fault.ts";
import { platformLimits } from "../limiter.ts";
import type { Settings, World } from "../world.ts";

/** What can be made to go wrong, and how patient the platform is. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
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
    // With an error, the status is that of the error.
    ...(raw && code === undefined && { raw }),
  } satisfies FaultEffect;
  if (Object.keys(effect).length > 0) return effect;
  const wanted = "error_code, status_error_code, hang_ms, drop or http_status";
  throw new AdminError(400, "no_effect", `one of ${wanted} is needed`);
}

/** An error of the table, with whatever of it the request says otherwise. */
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

/** Switches the platform's rates on, or others. */
function setFlood(world: World, body: Fields): unknown {
  const limits = {
    numberPerSecond: body.number("number_per_second") ?? platformLimits.numberPerSecond,
    pairSeconds: body.number("pair_seconds") ?? platformLimits.pairSeconds,
    pairBurst: body.number("pair_burst") ?? platformLimits.pairBurst,
    callsPerHour: body.number("calls_per_hour") ?? platformLimits.callsPerHour,
  };
  if (Object.values(limits).some((limit) => limit <= 0)) throw invalid("each limit", "greater than 0");
  world.limiter.limit(limits);
  return {
    number_per_second: limits.numberPerSecond,
    pair_seconds: limits.pairSeconds,
    pair_burst: limits.pairBurst,
    calls_per_hour: limits.callsPerHour,
  };
}

function changeSettings(world: World, body: Fields): unknown {
  const { settings } = world;
  world.settings = {
    retryScale: body.number("retry_scale") ?? settings.retryScale,
    callbackTimeoutMs: body.integer("callback_timeout_ms") ?? settings.callbackTimeoutMs,
    deliveries: body.integer("deliveries") ?? settings.deliveries,
    autoStatuses:
      oneOf(body, "auto_statuses", ["none", "sent", "delivered", "read"]) ?? settings.autoStatuses,
    windowErrors: oneOf(body, "window_errors", ["later", "at_once"]) ?? settings.windowErrors,
    userIds: body.flag("user_ids") ?? settings.userIds,
    mediaUrls: body.flag("media_urls") ?? settings.mediaUrls,
    overrideScope: oneOf(body, "override_scope", ["messages", "all"]) ?? settings.overrideScope,
    templateReview:
      oneOf(body, "template_review", ["manual", "approve", "reject"]) ?? settings.templateReview,
  };
  return describeSettings(world);
}

function oneOf<T extends string>(body: Fields, name: string, allowed: readonly T[]): T | undefined {
  const text = body.text(name);
  if (text === undefined) return undefined;
  const found = allowed.find((value) => value === text);
  if (found) return found;
  throw invalid(name, allowed.join(", "));
}

function describeSettings({ settings }: { readonly settings: Settings }): unknown {
  return {
    retry_scale: settings.retryScale,
    callback_timeout_ms: settings.callbackTimeoutMs,
    deliveries: settings.deliveries,
    auto_statuses: settings.autoStatuses,
    window_errors: settings.windowErrors,
    user_ids: settings.userIds,
    media_urls: settings.mediaUrls,
    override_scope: settings.overrideScope,
    template_review: settings.templateReview,
  };
}

/** Moves the clock: windows, tokens, links, codes and the attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.now() };
}
