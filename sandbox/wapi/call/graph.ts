import { answerText, type Exchange } from "../../http/exchange.ts";
import { answerFault, applyBefore, DropLine } from "../../http/fault.ts";
import { GraphError, noSuchObject, unknownPath } from "../../meta/graph-error.ts";
import { metaJson } from "../../meta/json.ts";
import { type Arguments, readArguments } from "../../meta/request.ts";
import { servedVersion } from "../../meta/version.ts";
import { serveDialog } from "../chat/dialog.ts";
import type { FaultEffect } from "../fault.ts";
import { appEdges } from "../node/app.ts";
import { downloadPath, mediaEdges, serveDownload } from "../node/media.ts";
import { numberEdges } from "../node/number.ts";
import { debugToken, exchangeCode } from "../node/oauth.ts";
import { qrImagePath, serveQrImage } from "../node/qr-code.ts";
import { templateEdges } from "../node/template.ts";
import { wabaEdges } from "../node/waba.ts";
import type { CallRecord, World } from "../world.ts";
import { authenticate, type Caller, mayUse } from "./auth.ts";
import type { EdgeTable, GraphCall, GraphHandler } from "./call.ts";

/** Versions that the platform still serves. */
/** The version of calls without one. */
const defaultVersion = "v23.0";

/** A parsed path: `/v23.0/106540352242922/messages`. */
interface Route {
  readonly version: string;
  readonly node: string;
  readonly edge: string;
  /** `ANED2T5QRU7HG1` of `/v23.0/106540352242922/message_qrdls/ANED2T5QRU7HG1`; else empty. */
  readonly target: string;
}

/** A call in the record of calls. */
interface NotedCall extends Route {
  readonly request: CallRecord["request"];
}

/** The HTTP side of the Graph API: https://developers.facebook.com/docs/graph-api/overview */
export class GraphApi {
  readonly #world: World;
  readonly #open = new Set<AbortController>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Ends the calls that hang on purpose. */
  close(): void {
    for (const call of this.#open) call.abort();
    this.#world.callbacks.close();
  }

  /** Serves files, the dialog and the API. */
  handle(exchange: Exchange, path: string): void {
    if (path.startsWith(downloadPath)) serveDownload(this.#world, exchange);
    else if (path.startsWith(qrImagePath)) void serveQrImage(exchange);
    else if (/^\/v\d+\.\d+\/dialog\//.test(path)) void serveDialog(this.#world, exchange, path);
    else void this.#serve(exchange, path);
  }

  async #serve(exchange: Exchange, path: string): Promise<void> {
    const hangUp = new AbortController();
    this.#open.add(hangUp);
    exchange.response.on("close", () => {
      hangUp.abort();
      this.#open.delete(hangUp);
    });
    const route = parsePath(path);
    let request: CallRecord["request"];
    let failure: unknown;
    try {
      checkVersion(route);
      const args = await readArguments(exchange, this.#world.media.blobs);
      request = withoutSecrets(args.param.values);
      const result = await this.#run(exchange, route, args, hangUp.signal);
      this.#tellUsage(exchange, route);
      answer(exchange, 200, result, route);
    } catch (error) {
      failure = error;
      this.#tellUsage(exchange, route);
      answerError(exchange, error, route);
    }
    this.#note(exchange, path, { ...route, request }, failure);
  }

  /** https://developers.facebook.com/docs/graph-api/overview/rate-limiting#headers-2 */
  #tellUsage({ response }: Exchange, { node }: Route): void {
    const waba = this.#world.wabas.get(node);
    if (!waba || response.destroyed) return;
    const used = this.#world.limiter.callUsage(waba.id);
    const usage = {
      type: "whatsapp",
      call_count: used,
      total_cputime: used,
      total_time: used,
      estimated_time_to_regain_access: used < 100 ? 0 : 1,
    };
    response.setHeader("x-business-use-case-usage", JSON.stringify({ [waba.id]: [usage] }));
  }

  /** Performs one call, with faults and limits. */
  async #run(exchange: Exchange, route: Route, args: Arguments, signal: AbortSignal): Promise<unknown> {
    const world = this.#world;
    const to = args.param.values["to"] ?? args.param.values["recipient"];
    const fault = world.faults.take({
      ...route,
      method: exchange.method,
      to: to === undefined ? undefined : String(to),
    });
    const effect = fault?.effect;
    if (effect) await applyBefore(effect, signal);
    if (effect?.error) throw effect.error;
    const result = await this.#call(exchange, route, args, effect);
    if (effect?.drop === "after") throw new DropLine();
    return result;
  }

  #call(exchange: Exchange, route: Route, args: Arguments, effect: FaultEffect | undefined): unknown {
    const world = this.#world;
    const { method } = exchange;
    const { node, edge, version, target } = route;
    const { param, files } = args;
    if (node === "oauth" && edge === "access_token") return exchangeCode(world, param);
    const caller = authenticate(world, exchange);
    const call = { world, caller, method, version, target, param, files, effect };
    if (node === "debug_token" && edge === "") return debugToken(call);
    return this.#dispatch(call, route);
  }

  #dispatch(call: GraphCall, { node, edge }: Route): unknown {
    const { caller, method } = call;
    const handler = this.#bind(caller, node);
    if (!handler) throw noSuchObject(method, node);
    return handler(call, edge);
  }

  /** Finds the object with this id; objects that the caller has no access to do not exist. */
  #bind(caller: Caller, id: string): ((call: GraphCall, edge: string) => unknown) | undefined {
    const world = this.#world;
    const app = world.apps.get(id);
    if (app) return app === caller.app ? handlers(appEdges, app, id) : undefined;
    const waba = world.wabas.get(id);
    if (waba) return mayUse(caller, waba) ? handlers(wabaEdges, waba, id) : undefined;
    const number = world.numbers.get(id);
    if (number) return mayUse(caller, number.waba) ? handlers(numberEdges, number, id) : undefined;
    const template = world.templates.get(id);
    if (template) {
      return mayUse(caller, world.waba(template.wabaId)) ? handlers(templateEdges, template, id) : undefined;
    }
    const media = world.media.find(id);
    const owner = media && world.numbers.get(media.numberId);
    return media && owner && mayUse(caller, owner.waba) ? handlers(mediaEdges, media, id) : undefined;
  }

  #note(exchange: Exchange, path: string, call: NotedCall, failure: unknown): void {
    const { node, edge, version, request } = call;
    const error = failure instanceof GraphError ? failure : undefined;
    const isUnknown =
      error?.parts.code === 2500 || /Unexpected key|nonexisting field/.test(error?.message ?? "");
    const warning = servedVersion(version)?.warning;
    this.#world.calls.append({
      method: exchange.method,
      path,
      node,
      edge,
      version,
      status: failure === undefined ? 200 : (error?.parts.status ?? 0),
      ...(error && { error_code: error.parts.code, error: error.message }),
      ...(request && { request }),
      ...(warning !== undefined && { warning }),
      ...(isUnknown && { unknown: true }),
    });
  }
}

const secrets = ["client_secret", "code", "input_token"];

function withoutSecrets(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.includes(name)));
}

function handlers<T>(table: EdgeTable<T>, node: T, id: string) {
  return (call: GraphCall, edge: string): unknown => {
    const place = call.target === "" ? edge : `${edge}/{id}`;
    const handler: GraphHandler<T> | undefined = table[`${call.method} ${place}`];
    if (handler) return handler(call, node);
    const known = Object.keys(table).some((key) => key.split(" ")[1] === place);
    throw known ? noSuchObject(call.method, id) : unknownPath(edge);
  };
}

/** Without a version, the platform uses the app's configured one. */
function parsePath(path: string): Route {
  const [, ...parts] = path.replace(/\/+$/, "").split("/").map(decode);
  const isVersioned = /^v\d/.test(parts[0] ?? "");
  const [version = "", node = "", edge = "", ...target] = isVersioned ? parts : ["", ...parts];
  return { version, node, edge, target: target.join("/") };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function checkVersion({ version, node }: Route): void {
  if (node === "") throw unknownPath("");
  if (version !== "" && servedVersion(version) === undefined) throw unknownPath(version);
}

function answer(exchange: Exchange, status: number, value: unknown, { version }: Route): void {
  const { response } = exchange;
  if (response.destroyed) return;
  response.setHeader("facebook-api-version", servedVersion(version)?.version ?? defaultVersion);
  answerText(exchange, status, metaJson(value));
}

function answerError(exchange: Exchange, error: unknown, route: Route): void {
  if (answerFault(exchange, error)) return;
  const { response } = exchange;
  const known = error instanceof GraphError ? error : internal(error);
  if (!exchange.request.complete) response.setHeader("Connection", "close");
  if (known.parts.status === 401) {
    const reason = `OAuth "Facebook Platform" "invalid_token" "${known.message}"`;
    response.setHeader("WWW-Authenticate", reason);
  }
  answer(exchange, known.parts.status, known.toBody(), route);
}

/** A bug of the emulator itself. */
function internal(error: unknown): GraphError {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new GraphError(`The emulator failed: ${reason}`, { status: 500, type: "OAuthException", code: 1 });
}
