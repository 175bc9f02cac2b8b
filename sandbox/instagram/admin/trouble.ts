import type { Attempt } from "../../callback/queue.ts";
import { callbackRoutes } from "../../callback/routes.ts";
import type { CallEffect } from "../../http/api-server.ts";
import { readHttpEffect } from "../../http/fault.ts";
import { AdminError, type Fields, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import { GraphError } from "../../meta/graph-error.ts";
import { hubSignatures } from "../../meta/signature.ts";
import type { Fault } from "../fault.ts";
import { refusalOf } from "../graph.ts";
import { platformLimits } from "../limiter.ts";
import type { CallRecord, Settings, World } from "../world.ts";

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
    ["GET", "/settings", () => describeSettings(world.settings)],
    ["POST", "/settings", ({ body }) => changeSettings(world, body)],
    ["POST", "/time", ({ body }) => moveTime(world, body)],
  ];
}

function callsQuery(call: AdminCall) {
  const { query } = call;
  const [node, edge, method] = ["node", "edge", "method"].map((name) => query.text(name));
  const unknown = query.flag("unknown");
  const refused = query.flag("refused");
  if ([node, edge, method, unknown, refused].every((filter) => filter === undefined)) {
    return journalQuery<CallRecord>(call);
  }
  return journalQuery<CallRecord>(
    call,
    (entry) =>
      (node ?? entry.node) === entry.node &&
      (edge ?? entry.edge) === entry.edge &&
      (method ?? entry.method) === entry.method &&
      (unknown === undefined || unknown === (entry.unknown === true)) &&
      (refused === undefined || refused === (entry.status !== 200)),
  );
}

/** `{secret?}`: signed with another secret, or not at all. */
function forge({ text, headers }: Attempt, body: Fields): { headers: Record<string, string> } {
  const unsigned = Object.entries(headers).filter(([name]) => !name.startsWith("X-Hub-"));
  const secret = body.text("secret");
  return {
    headers: { ...Object.fromEntries(unsigned), ...(secret !== undefined && hubSignatures(secret, text)) },
  };
}

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
    // With an error, the status is that of the error.
    ...(raw && code === undefined && { raw }),
  };
  if (Object.keys(effect).length > 0) return effect;
  throw new AdminError(400, "no_effect", "one of error_code, hang_ms, drop or http_status is needed");
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

function setFlood(world: World, body: Fields): unknown {
  const limits = {
    textPerSecond: body.number("text_per_second") ?? platformLimits.textPerSecond,
    mediaPerSecond: body.number("media_per_second") ?? platformLimits.mediaPerSecond,
    conversationsPerSecond: body.number("conversations_per_second") ?? platformLimits.conversationsPerSecond,
    privateRepliesPerHour: body.number("private_replies_per_hour") ?? platformLimits.privateRepliesPerHour,
  };
  if (Object.values(limits).some((limit) => limit <= 0)) throw invalid("each limit", "greater than 0");
  world.limiter.limit(limits);
  return {
    text_per_second: limits.textPerSecond,
    media_per_second: limits.mediaPerSecond,
    conversations_per_second: limits.conversationsPerSecond,
    private_replies_per_hour: limits.privateRepliesPerHour,
  };
}

function changeSettings(world: World, body: Fields): unknown {
  const { settings } = world;
  world.settings = {
    retryScale: body.number("retry_scale") ?? settings.retryScale,
    callbackTimeoutMs: body.integer("callback_timeout_ms") ?? settings.callbackTimeoutMs,
    deliveries: body.integer("deliveries") ?? settings.deliveries,
    changeForm: oneOf(body, "change_form", ["changes", "entry"]) ?? settings.changeForm,
    seenForm: oneOf(body, "seen_form", ["mid", "watermark"]) ?? settings.seenForm,
    replyTo: oneOf(body, "reply_to", ["refused", "accepted"]) ?? settings.replyTo,
    codeForm: oneOf(body, "code_form", ["data", "plain"]) ?? settings.codeForm,
  };
  return describeSettings(world.settings);
}

function oneOf<T extends string>(body: Fields, name: string, allowed: readonly T[]): T | undefined {
  const text = body.text(name);
  if (text === undefined) return undefined;
  const found = allowed.find((value) => value === text);
  if (found) return found;
  throw invalid(name, allowed.join(", "));
}

function describeSettings(settings: Settings): unknown {
  return {
    retry_scale: settings.retryScale,
    callback_timeout_ms: settings.callbackTimeoutMs,
    deliveries: settings.deliveries,
    change_form: settings.changeForm,
    seen_form: settings.seenForm,
    reply_to: settings.replyTo,
    code_form: settings.codeForm,
  };
}

/** Moves the clock: windows, private replies, codes, tokens and the attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.now() };
}
