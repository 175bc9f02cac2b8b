import { readHttpEffect } from "../../http/fault.ts";
import { type Fields, invalid } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import { faultRoutes, needEffect } from "../../trouble/faults.ts";
import { type SettingKinds, settingRoutes } from "../../trouble/settings.ts";
import type { Fault, FaultEffect } from "../fault.ts";
import type { Settings, World } from "../world.ts";

/** Faults, limits and delivery settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ...faultRoutes(world.faults, readFault, describeFault),
    ["POST", "/flood", ({ body }) => setFlood(world, body)],
    ["DELETE", "/flood", () => world.flood.clear()],
    ...settingRoutes(world, settingKinds),
  ];
}

const settingKinds: SettingKinds<Settings> = {
  retryScale: "number",
  waitScale: "number",
  webhookTimeoutMs: "integer",
  novelty: "integer",
};

function readFault(body: Fields): Omit<Fault, "id" | "hits"> {
  return {
    botId: body.integer("bot_id"),
    method: body.text("method")?.toLowerCase(),
    chatId: body.integer("chat_id"),
    left: body.integer("times") ?? 1,
    effect: readEffect(body),
  };
}

function readEffect(body: Fields): FaultEffect {
  const error = readError(body);
  const effect = { ...readHttpEffect(body), ...(error && { error }) } satisfies FaultEffect;
  return needEffect(effect, "error_code, retry_after, hang_ms, drop or http_status");
}

function readError(body: Fields): FaultEffect["error"] {
  const retryAfter = body.integer("retry_after");
  const code = body.integer("error_code") ?? (retryAfter === undefined ? undefined : 429);
  if (code === undefined) return undefined;
  if (code < 400 || code > 599) throw invalid("error_code", "400 to 599");
  const description = body.text("description") ?? defaultDescription(code, retryAfter);
  return { code, description, ...(retryAfter !== undefined && { retryAfter }) };
}

function defaultDescription(code: number, retryAfter: number | undefined): string {
  const texts: Readonly<Record<number, string>> = {
    400: "Bad Request: chat not found",
    401: "Unauthorized",
    403: "Forbidden: bot was blocked by the user",
    404: "Not Found",
    409: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    429: `Too Many Requests: retry after ${retryAfter ?? 1}`,
    500: "Internal Server Error",
    502: "Bad Gateway",
    504: "Gateway Timeout",
  };
  return texts[code] ?? "Internal Server Error";
}

function describeFault({ id, botId, method, chatId, left, hits, effect }: Fault): unknown {
  return { id, bot_id: botId ?? null, method: method ?? null, chat_id: chatId ?? null, left, hits, effect };
}

/** `retry_after` refuses all matching calls for this time; otherwise the platform's limits apply. */
function setFlood(world: World, body: Fields): unknown {
  const botId = body.integer("bot_id");
  const seconds = body.integer("retry_after");
  if (seconds !== undefined) {
    world.flood.block({ botId, chatId: body.integer("chat_id"), seconds });
    return { retry_after: seconds };
  }
  const perSecond = body.number("chat_per_second") ?? 1;
  const limits = {
    botPerSecond: body.number("bot_per_second") ?? 30,
    chatPerSecond: perSecond,
    chatBurst: body.number("chat_burst") ?? Math.max(3, perSecond),
    groupPerMinute: body.number("group_per_minute") ?? 20,
  };
  if (Object.values(limits).some((limit) => limit <= 0)) throw invalid("each limit", "greater than 0");
  world.flood.limit(limits, botId);
  return {
    bot_per_second: limits.botPerSecond,
    chat_per_second: limits.chatPerSecond,
    chat_burst: limits.chatBurst,
    group_per_minute: limits.groupPerMinute,
  };
}
