import { answerText, type Exchange } from "../http/exchange.ts";
import { answerFault, applyBefore, DropLine } from "../http/fault.ts";
import type { Bot } from "./bot.ts";
import { ApiError, tooManyRequests } from "./call/api-error.ts";
import { Arguments } from "./call/arguments.ts";
import { type NamedMethod, Remarked } from "./call/call.ts";
import { readArguments } from "./call/request.ts";
import type { FaultEffect } from "./fault.ts";
import { methodTable } from "./method/table.ts";
import { Delivery } from "./update/delivery.ts";
import type { World } from "./world.ts";

/** The HTTP side of the Bot API: https://core.telegram.org/bots/api#making-requests */
export class BotApi {
  readonly #world: World;
  readonly #methods: ReadonlyMap<string, NamedMethod>;
  readonly #deliveries = new Map<number, Delivery>();
  readonly #open = new Set<AbortController>();

  constructor(world: World) {
    this.#world = world;
    this.#methods = methodTable((bot) => this.deliveryOf(bot));
  }

  deliveryOf(bot: Bot): Delivery {
    const existing = this.#deliveries.get(bot.id);
    if (existing) return existing;
    const delivery = new Delivery(bot, this.#world, (method, values) => this.#invoke(bot, method, values));
    this.#deliveries.set(bot.id, delivery);
    return delivery;
  }

  /** Call after the clock was moved: makes the delayed deliveries that are due. */
  hurry(): void {
    for (const delivery of this.#deliveries.values()) delivery.hurry();
  }

  close(): void {
    for (const call of this.#open) call.abort();
    for (const delivery of this.#deliveries.values()) delivery.close();
    this.#deliveries.clear();
  }

  /** `path` is `/bot<token>/<method>`. */
  async serve(exchange: Exchange, path: string): Promise<void> {
    const hangUp = new AbortController();
    this.#open.add(hangUp);
    exchange.response.on("close", () => {
      hangUp.abort();
      this.#open.delete(hangUp);
    });
    try {
      const { bot, method } = this.#route(path);
      const args = await readArguments(exchange, this.#world.files.blobs);
      const result = await this.#run(bot, method, args, hangUp.signal);
      answerText(exchange, 200, envelope(result));
    } catch (error) {
      answerError(exchange, error);
    }
  }

  #route(path: string): { bot: Bot; method: string } {
    const end = path.indexOf("/", 4);
    if (!path.startsWith("/bot") || end < 0) throw new ApiError(404, "Not Found");
    const rawToken = path.slice(4, end);
    const token = rawToken.includes("%") ? decodeURIComponent(rawToken) : rawToken;
    if (!/^[1-9]\d*:/.test(token)) throw new ApiError(401, "Unauthorized: invalid token specified");
    const bot = this.#world.botsByToken.get(token);
    if (!bot) throw new ApiError(401, "Unauthorized");
    return { bot, method: path.slice(end + 1) };
  }

  /** Runs a method, with faults and limits, and records its outcome. */
  async #run(bot: Bot, spelling: string, args: Arguments, signal: AbortSignal): Promise<unknown> {
    const world = this.#world;
    const known = this.#methods.get(spelling.toLowerCase());
    const method = known?.name ?? spelling;
    try {
      if (!known) throw new ApiError(404, "Not Found: method not found");
      if (bot.loggedOutUntilMs > world.clock.nowMs()) throw new ApiError(400, "Logged out");
      const effect = world.faults.armed ? takeFault(world, bot, method, args) : undefined;
      if (effect) await hit(effect, signal);
      if (world.flood.armed && isPaced(method)) checkFlood(world, bot, args);
      // A long poll is recorded when it starts to wait, so that tests can wait for it.
      if (method === "getUpdates") noteCall(world, { bot, method, args });
      const outcome = known.run({ world, bot, method, args, signal });
      const result = outcome instanceof Promise ? await outcome : outcome;
      if (effect?.drop === "after") throw new DropLine();
      if (method !== "getUpdates") noteCall(world, { bot, method, args });
      return result;
    } catch (error) {
      noteCall(world, { bot, method, args }, error);
      throw error;
    }
  }

  /** A method in the response to a webhook; its result is dropped, as on the platform. */
  #invoke(bot: Bot, method: string, values: Readonly<Record<string, unknown>>): void {
    const { method: _method, ...rest } = values;
    const never = new AbortController().signal;
    this.#run(bot, method, new Arguments(rest), never).catch(() => undefined);
  }
}

function envelope(result: unknown): string {
  if (!(result instanceof Remarked)) return `{"ok":true,"result":${JSON.stringify(result)}}`;
  return JSON.stringify({ ok: true, result: result.result, description: result.description });
}

function answerError(exchange: Exchange, error: unknown): void {
  if (answerFault(exchange, error)) return;
  const known = error instanceof ApiError ? error : internal(error);
  const retryAfter = known.parameters?.retry_after;
  if (retryAfter !== undefined) exchange.response.setHeader("Retry-After", retryAfter);
  if (!exchange.request.complete) exchange.response.setHeader("Connection", "close");
  const body = {
    ok: false,
    error_code: known.code,
    description: known.message,
    parameters: known.parameters,
  };
  answerText(exchange, known.code, JSON.stringify(body));
}

/** A bug of the emulator itself. */
function internal(error: unknown): ApiError {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new ApiError(500, `Internal Server Error: ${reason}`);
}

function takeFault(world: World, bot: Bot, method: string, args: Arguments): FaultEffect | undefined {
  const fault = world.faults.take({
    botId: bot.id,
    method: method.toLowerCase(),
    chatId: args.integer("chat_id", 0),
  });
  return fault?.effect;
}

async function hit(effect: FaultEffect, signal: AbortSignal): Promise<void> {
  await applyBefore(effect, signal);
  if (!effect.error) return;
  const { code, description, retryAfter } = effect.error;
  throw new ApiError(code, description, retryAfter === undefined ? undefined : { retry_after: retryAfter });
}

/** https://core.telegram.org/bots/faq: only methods that create a message count against the limits. */
function isPaced(method: string): boolean {
  return /^(send(?!ChatAction)|forward|copy|edit)/.test(method);
}

function checkFlood(world: World, bot: Bot, args: Arguments): void {
  const retryAfter = world.flood.retryAfter(bot.id, args.integer("chat_id", 0));
  if (retryAfter !== undefined) throw tooManyRequests(retryAfter);
}

interface Noted {
  readonly bot: Bot;
  readonly method: string;
  readonly args: Arguments;
}

function noteCall(world: World, { bot, method, args }: Noted, error?: unknown): void {
  const chatId = args.values["chat_id"];
  const record = {
    method,
    ...((typeof chatId === "number" || typeof chatId === "string") && { chat_id: chatId }),
    ...(error instanceof ApiError && { error_code: error.code, description: error.message }),
    ...(error !== undefined && !(error instanceof ApiError) && { description: String(error) }),
  };
  const at = new Date(world.clock.nowMs()).toISOString();
  world.calls.append({ ...record, bot_id: bot.id, at, request: args.describe() });
  bot.calls.append(record);
}
