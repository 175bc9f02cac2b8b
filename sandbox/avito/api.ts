import { avatarPath, serveAvatar } from "../avatar.ts";
import { ApiServer, type Outcome, Refusal, type Reply } from "../http/api-server.ts";
import { type CallTable, findCall } from "../http/call-table.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Account } from "./account.ts";
import {
  forbidden,
  gatewayTokenError,
  paymentRequired,
  tooManyRequests,
  unauthorized,
  unknownCall,
} from "./api-error.ts";
import { type ApiCall, type ApiHandler, Query, readJson } from "./call.ts";
import { consentPath, serveConsent } from "./consent.ts";
import { mediaPath } from "./media-registry.ts";
import { addToBlacklist, getChat, getChats, getSelf } from "./method/chat.ts";
import { getVoiceFiles, uploadImages } from "./method/media.ts";
import { deleteMessage, getMessages, readChat, sendImage, sendText } from "./method/message.ts";
import { giveToken, readTokenForm, type TokenForm, tokenRefusal } from "./method/token.ts";
import { addWebhook, getSubscriptions, removeWebhook } from "./method/webhook.ts";
import type { AccessToken } from "./token-store.ts";
import type { World } from "./world.ts";

const v1 = "/messenger/v1/accounts/{user_id}";
const v2 = "/messenger/v2/accounts/{user_id}";
const read = "messenger:read";
const write = "messenger:write";

/** The calls of the API: https://developers.avito.ru/api-catalog/messenger/documentation */
const handlers: CallTable<ApiHandler> = {
  "/core/v1/accounts/self": { GET: { scope: "user:read", run: getSelf } },
  [`${v1}/chats/{chat_id}/messages`]: { POST: { scope: write, run: sendText } },
  [`${v1}/chats/{chat_id}/messages/image`]: { POST: { scope: write, run: sendImage } },
  [`${v1}/chats/{chat_id}/messages/{message_id}`]: { POST: { scope: write, run: deleteMessage } },
  [`${v1}/chats/{chat_id}/read`]: { POST: { scope: read, run: readChat } },
  [`${v1}/getVoiceFiles`]: { GET: { scope: read, run: getVoiceFiles } },
  [`${v1}/uploadImages`]: { POST: { scope: write, readsBody: true, run: uploadImages } },
  [`${v2}/blacklist`]: { POST: { scope: write, run: addToBlacklist } },
  [`${v2}/chats`]: { GET: { scope: read, run: getChats } },
  [`${v2}/chats/{chat_id}`]: { GET: { scope: read, run: getChat } },
  "/messenger/v3/accounts/{user_id}/chats/{chat_id}/messages/": { GET: { scope: read, run: getMessages } },
  "/messenger/v1/subscriptions": { POST: { scope: read, run: getSubscriptions } },
  "/messenger/v1/webhook/unsubscribe": { POST: { scope: read, run: removeWebhook } },
  "/messenger/v3/webhook": { POST: { scope: read, run: addWebhook } },
};

/** A call of `/token`, or a call of the API with its handler. */
type RoutedCall =
  | { readonly pattern: "/token"; readonly form: TokenForm }
  | (ApiCall & { readonly pattern: string; readonly handler: ApiHandler });

/** The HTTP side of the API, with the consent page and the addresses of files. */
export class AvitoApi {
  readonly #world: World;
  readonly #server: ApiServer<RoutedCall>;

  constructor(world: World) {
    this.#world = world;
    this.#server = new ApiServer({
      open: (exchange, path) => this.#open(exchange, path),
      faultOf: (call) => world.faults.take(faultyCall(call))?.effect,
      run: (call) => this.#run(call),
      note: (exchange, path, outcome) => this.#note(exchange, path, outcome),
      internalError: (error) => ({
        status: 500,
        json: JSON.stringify({ error: { code: 500, message: String(error) } }),
      }),
    });
  }

  handle(exchange: Exchange, path: string): void {
    if (path === consentPath) void serveConsent(this.#world, exchange);
    else if (path.startsWith(mediaPath)) this.#world.media.serve(exchange, path);
    else if (path.startsWith(avatarPath)) serveAvatar(exchange);
    else void this.#server.serve(exchange, path);
  }

  close(): void {
    this.#server.close();
    this.#world.callbacks.close();
  }

  async #open(exchange: Exchange, path: string): Promise<RoutedCall> {
    const { method } = exchange;
    if (/^\/token\/?$/.test(path) && method === "POST")
      return { pattern: "/token", form: await readTokenForm(exchange) };
    const found = findCall(handlers, method, path);
    if (typeof found === "string") throw unknownCall(found === "no method");
    const token = this.#authenticate(exchange);
    const { pattern, params, handler } = found;
    const account = this.#accountOf(token, params, handler);
    const query = new Query(exchange.query);
    const body = method === "GET" || handler.readsBody ? undefined : await readJson(exchange);
    const { clientId } = token;
    return { world: this.#world, account, clientId, pattern, params, handler, query, body, exchange };
  }

  #authenticate({ request }: Exchange): AccessToken {
    const value = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const token = this.#world.tokens.access.get(value);
    if (!token) throw unauthorized();
    if (!this.#world.tokens.isExpired(token)) return token;
    throw this.#world.settings.expiredTokens === "403" ? gatewayTokenError() : unauthorized();
  }

  /** The account of the token. The path must name the same account, which must have a subscription. */
  #accountOf(token: AccessToken, params: ApiCall["params"], { scope }: ApiHandler): Account {
    const account = this.#world.accounts.get(token.accountId);
    if (!account) throw unauthorized();
    if (!token.scopes.includes(scope)) throw forbidden();
    if (params["user_id"] !== undefined && params["user_id"] !== String(account.id)) throw forbidden();
    if (scope !== "user:read" && !account.paid) throw paymentRequired();
    return account;
  }

  async #run(call: RoutedCall): Promise<Reply> {
    const world = this.#world;
    if ("form" in call) {
      try {
        return { status: 200, json: JSON.stringify(giveToken(world, call.form)) };
      } catch (error) {
        throw error instanceof Refusal ? tokenRefusal(world, error) : error;
      }
    }
    const isAllowed = world.rate.take(call.account.id);
    // Also in refusals.
    for (const [name, value] of Object.entries(world.rate.headers(call.account.id)))
      call.exchange.response.setHeader(name, value);
    if (!isAllowed) throw tooManyRequests();
    const result = await call.handler.run(call);
    return { status: 200, json: result === undefined ? "" : JSON.stringify(result) };
  }

  #note({ method }: Exchange, path: string, { call, reply, refusal }: Outcome<RoutedCall>): void {
    this.#world.calls.append({
      account_id: call && "account" in call ? call.account.id : null,
      method,
      path,
      call: call?.pattern ?? patternOf(method, path),
      request: call ? requestOf(call) : null,
      status: reply?.status ?? 0,
      ...(refusal && { error: refusal.message }),
      ...(refusal?.unknown && { unknown: true }),
    });
  }
}

/** The call that a refused request was meant for; empty if there is none. */
function patternOf(method: string, path: string): string {
  const found = findCall(handlers, method, path);
  return typeof found === "string" ? "" : found.pattern;
}

/** Without secrets. */
function requestOf(call: RoutedCall): unknown {
  if ("account" in call) return call.body ?? null;
  const { client_secret: _secret, code: _code, refresh_token: _token, ...rest } = call.form;
  return rest;
}

function faultyCall(call: RoutedCall) {
  const isApi = "account" in call;
  return {
    method: isApi ? call.exchange.method : "POST",
    pattern: call.pattern,
    chatId: isApi ? call.params["chat_id"] : undefined,
    accountId: isApi ? call.account.id : undefined,
  };
}
