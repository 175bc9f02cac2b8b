import { avatarPath, serveAvatar } from "../avatar.ts";
import { ApiServer, type Outcome, Refusal, type Reply } from "../http/api-server.ts";
import { BodyTooLarge, type Exchange, readBody } from "../http/exchange.ts";
import { isRecord } from "../http/fields.ts";
import type { ApiCall, ApiHandler } from "./call.ts";
import { mediaPath } from "./media-registry.ts";
import { getAccountInfo, getOnline, getUserDetails, setWebhook } from "./method/account.ts";
import { broadcastMessage, sendMessage } from "./method/send.ts";
import { noToken, refused, statusReply } from "./status.ts";
import type { World } from "./world.ts";

const maxBodyBytes = 1024 * 1024;

/** The calls of the API: https://creators.viber.com/docs/bots-api */
const handlers: Readonly<Record<string, ApiHandler>> = {
  set_webhook: setWebhook,
  get_account_info: getAccountInfo,
  get_user_details: getUserDetails,
  get_online: getOnline,
  send_message: sendMessage,
  broadcast_message: broadcastMessage,
};

const prefix = "/pa/";

/** The HTTP side of the bot API. */
export class ViberApi {
  readonly #world: World;
  readonly #server: ApiServer<ApiCall>;

  constructor(world: World) {
    this.#world = world;
    this.#server = new ApiServer({
      open: (exchange, path) => this.#open(exchange, path),
      faultOf: (call) => world.faults.take(faultyCall(call))?.effect,
      run: (call) => run(call),
      note: (_exchange, path, outcome) => this.#note(path, outcome),
      internalError: (error) => statusReply(1000, {}, String(error)),
    });
  }

  handle(exchange: Exchange, path: string): void {
    if (path.startsWith(mediaPath)) this.#world.media.serve(exchange, path);
    else if (path.startsWith(avatarPath)) serveAvatar(exchange);
    else void this.#server.serve(exchange, path);
  }

  close(): void {
    this.#server.close();
    this.#world.callbacks.close();
  }

  async #open(exchange: Exchange, path: string): Promise<ApiCall> {
    const method = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    if (!handlers[method] || exchange.method !== "POST") throw notServed();
    const { auth_token: given, ...body } = await readJson(exchange);
    const header = exchange.request.headers["x-viber-auth-token"];
    const token = typeof header === "string" ? header : given;
    if (typeof token !== "string" || token === "") throw noToken();
    const bot = this.#world.botByToken(token);
    if (!bot) throw refused(2, "the token is wrong");
    if (bot.state !== 0) throw refused(bot.state, "the account is not in order");
    return { world: this.#world, bot, method, body };
  }

  #note(path: string, { call, reply, refusal }: Outcome<ApiCall>): void {
    this.#world.calls.append({
      bot_id: call?.bot.id ?? null,
      method: call?.method ?? path.replace(prefix, ""),
      request: call?.body ?? null,
      status: statusOf(reply),
      ...(refusal && { error: refusal.message }),
      ...(refusal?.unknown && { unknown: true }),
    });
  }
}

async function run(call: ApiCall): Promise<Reply> {
  const result = await handlers[call.method]?.(call);
  return statusReply(0, isRecord(result) ? result : {});
}

/** An unknown path, for which the API has no response. */
function notServed(): Refusal {
  return new Refusal("unknown call", { status: 404, json: JSON.stringify({ error: "Not Found" }) }, true);
}

async function readJson({ request }: Exchange): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBody(request, maxBodyBytes).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? refused(3, "the body is too large") : error;
  });
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw refused(3, "the body is no JSON object");
}

function statusOf(reply: Reply | undefined): number | null {
  const status = /^\{"status":(\d+)/.exec(reply?.json ?? "")?.[1];
  if (status !== undefined) return Number(status);
  return reply?.status ?? null;
}

function faultyCall({ bot, method, body }: ApiCall) {
  const receiver = body["receiver"] ?? body["id"];
  return { botId: bot.id, method, viberId: typeof receiver === "string" ? receiver : undefined };
}
