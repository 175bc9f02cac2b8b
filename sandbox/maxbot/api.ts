import { ApiServer, type Outcome, type Reply } from "../http/api-server.ts";
import { type CallTable, findCall } from "../http/call-table.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Bot } from "./bot.ts";
import { badToken, tooManyRequests, unknownCall } from "./call/api-error.ts";
import { type ApiCall, type ApiHandler, Query, readJson } from "./call/call.ts";
import { mediaPath, serveMedia, serveUpload } from "./media/upload.ts";
import { answerOnCallback } from "./method/answer.ts";
import { getChat, getMe, getMembers, getMembership, leaveChat, sendAction } from "./method/chat.ts";
import { deleteMessage, editMessage, getMessage, getMessages, sendMessage } from "./method/message.ts";
import { getSubscriptions, getUpdates, subscribe, unsubscribe } from "./method/update.ts";
import { getVideo, openUpload, uploadPath } from "./method/upload.ts";
import type { World } from "./world.ts";

/** The calls of the API: https://dev.max.ru/docs-api */
const handlers: CallTable<ApiHandler> = {
  "/me": { GET: getMe },
  "/chats/{chatId}": { GET: getChat },
  "/chats/{chatId}/actions": { POST: sendAction },
  "/chats/{chatId}/members": { GET: getMembers },
  "/chats/{chatId}/members/me": { GET: getMembership, DELETE: leaveChat },
  "/subscriptions": { GET: getSubscriptions, POST: subscribe, DELETE: unsubscribe },
  "/uploads": { POST: openUpload },
  "/messages": { GET: getMessages, POST: sendMessage, PUT: editMessage, DELETE: deleteMessage },
  "/messages/{messageId}": { GET: getMessage },
  "/videos/{videoToken}": { GET: getVideo },
  "/answers": { POST: answerOnCallback },
  "/updates": { GET: getUpdates },
};

/** A call with its handler. */
type RoutedCall = ApiCall & { readonly handler: ApiHandler };

/** The HTTP side of the bot API, with the hosts for files. */
export class BotApi {
  readonly #world: World;
  readonly #server: ApiServer<RoutedCall>;

  constructor(world: World) {
    this.#world = world;
    this.#server = new ApiServer({
      open: (exchange, path, signal) => this.#open(exchange, path, signal),
      faultOf: (call) => world.faults.take(faultyCall(call))?.effect,
      run: (call) => this.#run(call),
      note: (exchange, path, outcome) => this.#note(exchange, path, outcome),
      internalError: (error) => ({
        status: 500,
        json: JSON.stringify({ code: "internal.error", message: String(error) }),
      }),
    });
  }

  handle(exchange: Exchange, path: string): void {
    if (path.startsWith(uploadPath)) void serveUpload(this.#world, exchange);
    else if (path.startsWith(mediaPath)) serveMedia(this.#world, exchange, path);
    else void this.#server.serve(exchange, path);
  }

  close(): void {
    this.#server.close();
    this.#world.callbacks.close();
  }

  async #open(exchange: Exchange, path: string, signal: AbortSignal): Promise<RoutedCall> {
    const world = this.#world;
    const bot = world.botByToken(exchange.request.headers.authorization ?? "");
    if (!bot) throw badToken();
    const { pattern, params, handler } = findHandler(path, exchange.method);
    const query = new Query(exchange.query);
    const body =
      exchange.method === "GET" || exchange.method === "DELETE" ? undefined : await readJson(exchange);
    return { world, bot, method: exchange.method, pattern, params, handler, query, body, signal };
  }

  async #run(call: RoutedCall): Promise<Reply> {
    const { bot, world, pattern } = call;
    const { limits } = world;
    if (limits && !world.limiter.take(`bot ${bot.id}`, limits.botPerSecond, limits.botPerSecond))
      throw tooManyRequests();
    // A poll is recorded when it starts to wait, so that a test can wait for that.
    if (pattern === "/updates") world.calls.append(recordOf(call, 200));
    const result = await call.handler(call);
    return { status: 200, json: JSON.stringify(result) };
  }

  #note(exchange: Exchange, path: string, { call, reply, refusal }: Outcome<RoutedCall>): void {
    if (call?.pattern === "/updates" && !refusal) return;
    const bot = this.#world.botByToken(exchange.request.headers.authorization ?? "");
    const query = new Query(exchange.query);
    const record = recordOf(
      call ?? { bot, method: exchange.method, query, body: undefined },
      reply?.status ?? 0,
    );
    this.#world.calls.append({
      ...record,
      path,
      ...(refusal && { error: refusal.message }),
      ...(refusal?.unknown && { unknown: true }),
    });
  }
}

function recordOf(
  call: { bot: Bot | undefined; method: string; query: Query; body: unknown; pattern?: string },
  status: number,
) {
  const { bot, method, query, body, pattern = "" } = call;
  return {
    bot_id: bot?.id ?? null,
    method,
    path: pattern,
    query: query.values,
    request: body ?? null,
    status,
  };
}

function findHandler(path: string, method: string) {
  const found = findCall(handlers, method, path);
  if (typeof found === "string") throw unknownCall(method, path, found === "no method");
  return found;
}

function faultyCall({ bot, method, pattern, query, params }: ApiCall) {
  const chat = query.values["chat_id"] ?? query.values["user_id"] ?? params["chatId"];
  return {
    botId: bot.id,
    method,
    node: pattern.split("/")[1] ?? "",
    chatId: chat === undefined ? undefined : Number(chat),
  };
}
