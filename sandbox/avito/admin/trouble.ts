import { Refusal } from "../../http/api-server.ts";
import { readHttpEffect } from "../../http/fault.ts";
import { type Fields, invalid } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import { faultRoutes, needEffect } from "../../trouble/faults.ts";
import { deliveryKinds, type SettingKinds, settingRoutes } from "../../trouble/settings.ts";
import type { Fault } from "../fault.ts";
import type { Settings, World } from "../world.ts";

/** Faults, limits and delivery settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ...faultRoutes(world.faults, readFault, describeFault),
    ["POST", "/flood", ({ body }) => setFlood(world, body)],
    ["DELETE", "/flood", () => world.rate.limit(undefined)],
    ...settingRoutes(world, settingKinds),
    ["POST", "/time", ({ body }) => moveTime(world, body)],
  ];
}

const settingKinds: SettingKinds<Settings> = {
  ...deliveryKinds,
  retries: "integer",
  messagesForm: ["object", "array"],
  expiredTokens: ["401", "403"],
  tokenErrorsAs200: "flag",
  tellDeletions: "flag",
  notices: "flag",
  novelty: "integer",
};

function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  return {
    method: body.text("method")?.toUpperCase(),
    call: body.text("call"),
    chatId: body.text("chat_id"),
    accountId: body.integer("account_id"),
    left: body.integer("times") ?? 1,
    effect: readEffect(body),
  };
}

function readEffect(body: Fields): Fault["effect"] {
  const code = body.integer("error_code");
  const oauth = body.text("oauth_error");
  const { raw, ...http } = readHttpEffect(body);
  const isRefusal = code !== undefined || oauth !== undefined;
  const effect = {
    ...http,
    // An error has its own status.
    ...(raw && !isRefusal && { raw }),
    ...(code !== undefined && { refusal: readRefusal(body, code) }),
    ...(oauth !== undefined && { refusal: readOauthRefusal(body, oauth) }),
  };
  return needEffect(effect, "error_code, oauth_error, hang_ms, drop or http_status");
}

const messages: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Unauthorized",
  402: "Payment required",
  403: "Forbidden",
  404: "Not found",
  429: "Too many requests",
  500: "Internal server error",
  503: "Service unavailable",
};

function readRefusal(body: Fields, code: number): Refusal {
  if (code < 400 || code > 599) throw invalid("error_code", "400 to 599");
  const message = body.text("message") ?? messages[code] ?? "Error";
  const retryAfter = body.integer("retry_after");
  return new Refusal(message, {
    status: code,
    json: JSON.stringify({ error: { code, message } }),
    ...(retryAfter !== undefined && { headers: { "Retry-After": String(retryAfter) } }),
  });
}

/** For `/token`: `invalid_grant` and the like, with status 400 unless `http_status` says otherwise. */
function readOauthRefusal(body: Fields, error: string): Refusal {
  const json = JSON.stringify({ error, error_description: body.text("message") ?? error });
  return new Refusal(error, { status: body.integer("http_status") ?? 400, json });
}

function describeFault({ id, method, call, chatId, accountId, left, hits, effect }: Fault): unknown {
  const { refusal, ...rest } = effect;
  return {
    id,
    method: method ?? null,
    call: call ?? null,
    chat_id: chatId ?? null,
    account_id: accountId ?? null,
    left,
    hits,
    effect: { ...rest, ...(refusal && { error: refusal.message }) },
  };
}

/** `{per_minute}`: further calls of an account get 429. */
function setFlood(world: World, body: Fields): unknown {
  const perMinute = body.integer("per_minute") ?? 60;
  if (perMinute < 1) throw invalid("per_minute", "greater than 0");
  world.rate.limit(perMinute);
  return { per_minute: perMinute };
}

/** Moves the clock: tokens, codes, links, the hour for deletions, attempts of callbacks. */
function moveTime(world: World, body: Fields): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  world.callbacks.hurry();
  return { now: world.clock.now() };
}
