import { avatarPath, serveAvatar } from "../avatar.ts";
import { answerJson, type Exchange } from "../http/exchange.ts";
import { answerFault, applyBefore, DropLine } from "../http/fault.ts";
import { filePath } from "../public-files.ts";
import { sampleFile } from "../sample-file.ts";
import type { AnyCall, Method } from "./call/call.ts";
import { checkVersion, Params } from "./call/param.ts";
import { readValues } from "./call/request.ts";
import { checkToken, type Token } from "./call/token.ts";
import { VkError } from "./call/vk-error.ts";
import type { FaultEffect } from "./fault.ts";
import { methods } from "./method/table.ts";
import { serveOauth } from "./oauth/oauth.ts";
import { uploadPath } from "./upload/upload-desk.ts";
import type { World } from "./world.ts";

const methodPath = "/method/";
const longPollPath = "/longpoll/";
const stickerPath = "/sticker/";
/** https://dev.vk.com/ru/api/bots-long-poll/getting-started: the maximum wait. */
const maxWaitSeconds = 90;

/** All addresses of VK, which on the platform are several servers. */
export class VkApi {
  readonly #world: World;
  readonly #open = new Set<AbortController>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Ends the calls that hang on purpose, and the polls. */
  close(): void {
    for (const call of this.#open) call.abort();
    this.#world.callbacks.close();
  }

  handle(exchange: Exchange, path: string): void {
    if (path.startsWith(methodPath)) void this.#serveMethod(exchange, path.slice(methodPath.length));
    else if (path.startsWith(longPollPath))
      void this.#withFault(exchange, "long_poll", (signal) => this.#poll(exchange, path, signal));
    else if (path.startsWith(uploadPath))
      void this.#withFault(exchange, "upload", () => this.#world.uploads.serve(exchange, path));
    else if (path.startsWith(filePath)) this.#world.files.serve(exchange, path);
    else if (path.startsWith(avatarPath)) serveAvatar(exchange);
    else if (path.startsWith(stickerPath))
      exchange.response
        .writeHead(200, { "Content-Type": "image/webp" })
        .end(sampleFile("image/webp", undefined));
    else void this.#withFault(exchange, "oauth", () => serveOauth(this.#world, exchange, path));
  }

  /** `/method/messages.send`: always status 200. */
  async #serveMethod(exchange: Exchange, method: string): Promise<void> {
    const signal = this.#hangUp(exchange);
    const world = this.#world;
    let params = new Params({});
    let token: Token | undefined;
    try {
      const { access_token: tokenText, ...values } = await readValues(exchange, world.files.blobs);
      params = new Params(values);
      token = world.tokens.get(tokenText ?? "");
      const effect = await this.#applyFault(method, token, params, signal);
      const response = await this.#run(method, tokenText, params);
      this.#note(method, token, params, undefined);
      if (effect?.drop === "after") throw new DropLine();
      answerJson(exchange, 200, { response });
    } catch (error) {
      if (!(error instanceof DropLine)) this.#note(method, token, params, error);
      answerError(exchange, error, { method, params });
    }
  }

  async #run(name: string, tokenText: string | undefined, params: Params): Promise<unknown> {
    const world = this.#world;
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw new VkError(3);
    checkVersion(params.values["v"]);
    if (tokenText === undefined) throw new VkError(5, "no access_token passed.");
    const token = checkToken(world.tokens.get(tokenText), world.clock);
    if (!world.limiter.take(token.value, token.groupId !== undefined)) throw new VkError(6);
    params.check({ ...method.params, ...commonParams });
    const community = token.groupId === undefined ? undefined : world.community(token.groupId);
    const call = { world, method: name, params, token, community };
    return runMethod(method, call);
  }

  /** The fault for this call, after its effects that precede the call. */
  async #applyFault(
    method: string,
    token: Token | undefined,
    params: Params,
    signal: AbortSignal,
  ): Promise<FaultEffect | undefined> {
    const peer = Number(
      params.values["peer_id"] ?? params.values["peer_ids"] ?? params.values["user_id"] ?? Number.NaN,
    );
    const peerId = Number.isInteger(peer) ? peer : undefined;
    const effect = this.#world.faults.take({ groupId: token?.groupId, method, peerId })?.effect;
    if (effect) await applyBefore(effect, signal);
    if (effect?.error) throw effect.error;
    return effect;
  }

  /** Serves addresses other than methods, with faults. */
  async #withFault(
    exchange: Exchange,
    method: string,
    serve: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const signal = this.#hangUp(exchange);
    const params = new Params({});
    try {
      await this.#applyFault(method, undefined, params, signal);
      await serve(signal);
    } catch (error) {
      answerError(exchange, error, { method, params });
    }
  }

  async #poll(exchange: Exchange, path: string, signal: AbortSignal): Promise<void> {
    const community = this.#world.communities.get(Number(path.slice(longPollPath.length)));
    const query = new URLSearchParams(exchange.query);
    if (!community?.longPoll.enabled || query.get("act") !== "a_check") {
      answerJson(exchange, 200, { failed: 2 });
      return;
    }
    const waitSeconds = Math.min(Number(query.get("wait") ?? 25) || 0, maxWaitSeconds);
    const [key, ts] = [query.get("key") ?? "", query.get("ts") ?? ""];
    const polled = community.longPoll.poll({ key, ts, waitMs: waitSeconds * 1000, signal });
    community.polls.append({ ts, wait: waitSeconds });
    answerJson(exchange, 200, await polled);
  }

  #hangUp(exchange: Exchange): AbortSignal {
    const hangUp = new AbortController();
    this.#open.add(hangUp);
    exchange.response.on("close", () => {
      hangUp.abort();
      this.#open.delete(hangUp);
    });
    return hangUp.signal;
  }

  #note(method: string, token: Token | undefined, params: Params, error: unknown): void {
    const isUnknown = error instanceof VkError && error.code === 3 && !Object.hasOwn(methods, method);
    const unknown = isUnknown ? [method] : params.unknown;
    this.#world.calls.append({
      method,
      group_id: token?.groupId ?? null,
      ...(error instanceof VkError && { error_code: error.code, error: error.message }),
      request: params.values,
      ...(unknown.length > 0 && { unknown }),
    });
  }
}

/** Parameters of all methods: https://dev.vk.com/ru/api/api-requests */
const commonParams = {
  v: "text",
  lang: "text",
  test_mode: "flag",
  captcha_sid: "text",
  captcha_key: "text",
} as const;

/** Checks the caller, its rights and its community. */
function runMethod(method: Method, call: AnyCall): unknown {
  const { community, token, params } = call;
  if (method.caller === "user" && community) throw new VkError(27, "method is unavailable with group auth.");
  if (method.caller !== "group") return method.run(call);
  if (!community) throw new VkError(28, "method is unavailable with user auth.");
  if (method.right && !token.scopes.includes(method.right)) {
    throw new VkError(15, "no access to call this method. It cannot be called with current scopes.");
  }
  const groupId = method.needsGroup ? params.needInteger("group_id") : params.integer("group_id");
  if (groupId !== undefined && groupId !== community.id) {
    throw new VkError(15, "group_id is not that of the access token");
  }
  return method.run({ ...call, community });
}

function answerError(exchange: Exchange, error: unknown, call: { method: string; params: Params }): void {
  if (answerFault(exchange, error)) return;
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const known = error instanceof VkError ? error : new VkError(10, reason);
  const body = {
    error_code: known.code,
    error_msg: known.message,
    request_params: call.params.toRequestParams(call.method),
    ...(known.code === 14 && captcha),
  };
  answerJson(exchange, 200, { error: body });
}

/** The data that a client shows to a person who has to solve it. */
const captcha = {
  captcha_sid: "698456129532",
  captcha_img: "https://api.vk.com/captcha.php?sid=698456129532",
};
