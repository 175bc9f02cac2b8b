import { ApiServer, type CallEffect, type Outcome, Refusal, type Reply } from "../http/api-server.ts";
import type { Exchange } from "../http/exchange.ts";
import { GraphError, noSuchObject, unknownPath } from "../meta/graph-error.ts";
import { metaJson } from "../meta/json.ts";
import { Param } from "../meta/param.ts";
import { readArguments } from "../meta/request.ts";
import { servedVersion } from "../meta/version.ts";
import { filePath } from "../public-files.ts";
import { authenticate, tokenText } from "./call/auth.ts";
import { type EdgeTable, type GraphCall, mayUse } from "./call/call.ts";
import { serveLogin } from "./login/login.ts";
import type { Login } from "./login/token.ts";
import { accountEdges } from "./node/account.ts";
import { appEdges } from "./node/app.ts";
import { commentEdges } from "./node/comment.ts";
import { conversationEdges, messageEdges } from "./node/conversation.ts";
import { debugToken, exchangeUserToken, refreshToken, toLongLived } from "./node/oauth.ts";
import { pageEdges } from "./node/page.ts";
import { personEdges } from "./node/person.ts";
import { postEdges } from "./node/post.ts";
import { userEdges } from "./node/user.ts";
import type { World } from "./world.ts";

/** The version of calls without one. */
const defaultVersion = "v23.0";

/** Paths with this prefix belong to graph.instagram.com, the others to graph.facebook.com. */
const instagramHost = "/graph.instagram.com";

/** A parsed request: `/v23.0/17841400000000001/messages`. */
interface OpenCall {
  readonly login: Login;
  readonly version: string;
  readonly node: string;
  readonly edge: string;
  readonly method: string;
  readonly param: Param;
  readonly token: string | undefined;
}

/** The HTTP side: both graphs, the login, and public files. */
export class InstagramApi {
  readonly #world: World;
  readonly #server: ApiServer<OpenCall>;

  constructor(world: World) {
    this.#world = world;
    this.#server = new ApiServer({
      open: (exchange, path) => refusing(() => open(world, exchange, path)),
      faultOf: (call) => faultOf(world, call),
      run: (call) => refusing(async () => reply(200, await run(world, call), call.version)),
      note: (exchange, path, outcome) => note(world, exchange, path, outcome),
      internalError: (error) => reply(500, internal(error).toBody()),
    });
  }

  close(): void {
    this.#server.close();
    this.#world.callbacks.close();
  }

  handle(exchange: Exchange, path: string): void {
    if (path.startsWith(filePath)) this.#world.files.serve(exchange, path);
    else if (/^\/(www|api)\.instagram\.com\//.test(path)) void serveLogin(this.#world, exchange, path);
    else void this.#server.serve(exchange, path);
  }
}

function reply(status: number, value: unknown, version = ""): Reply {
  const served = servedVersion(version)?.version ?? defaultVersion;
  return { status, json: metaJson(value), headers: { "facebook-api-version": served } };
}

/** Converts the graph's errors to responses. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof GraphError ? new GraphRefusal(error) : error;
  }
}

/** A refused call with its error. */
class GraphRefusal extends Refusal {
  readonly error: GraphError;
  constructor(error: GraphError) {
    const isUnknown = error.parts.code === 2500 || /Unexpected key|nonexisting field/.test(error.message);
    super(error.message, reply(error.parts.status, error.toBody()), isUnknown);
    this.error = error;
  }
}

/** The response of a fault in place of the platform's own. */
export function refusalOf(error: GraphError): Refusal {
  return new GraphRefusal(error);
}

async function open(world: World, exchange: Exchange, path: string): Promise<OpenCall> {
  const isInstagram = path.startsWith(`${instagramHost}/`);
  // Empty parts are ignored: widely used clients write two slashes.
  const parts = (isInstagram ? path.slice(instagramHost.length) : path).split("/").filter(Boolean);
  const isVersioned = /^v\d/.test(parts[0] ?? "");
  const [version = "", node = "", edge = "", ...rest] = isVersioned ? parts : ["", ...parts];
  if (node === "" || rest.length > 0) throw unknownPath(parts.join("/"));
  if (isVersioned && servedVersion(version) === undefined) throw unknownPath(version);
  const { param } = await readArguments(exchange, world.files.blobs);
  const { access_token: _token, appsecret_proof: _proof, ...values } = param.values;
  return {
    login: isInstagram ? "instagram" : "facebook",
    version,
    node,
    edge,
    method: exchange.method,
    param: new Param(values),
    token: tokenText(exchange, param.values),
  };
}

function faultOf(world: World, { node, edge, method, param }: OpenCall): CallEffect | undefined {
  if (!world.faults.armed) return undefined;
  const recipient = param.values["recipient"];
  const ids = typeof recipient === "object" && recipient ? Object.values(recipient) : [];
  return world.faults.take({ node, edge, method, to: ids[0] === undefined ? undefined : String(ids[0]) })
    ?.effect;
}

function run(world: World, call: OpenCall): unknown {
  const { login, node, edge, method, param, token } = call;
  if (login === "facebook" && node === "oauth" && edge === "access_token")
    return exchangeUserToken(world, param);
  if (login === "instagram" && node === "access_token") return toLongLived(world, param, token);
  if (login === "instagram" && node === "refresh_access_token") return refreshToken(world, param, token);
  const caller = authenticate(world, login, token);
  const graphCall: GraphCall = { world, caller, login, method, param };
  if (node === "debug_token") return debugToken(graphCall);
  const handler = bind(graphCall, node);
  if (!handler) throw noSuchObject(method, node);
  return handler(edge);
}

type Bound = (edge: string) => unknown;

/** Finds the object with this id; objects that the caller has no access to do not exist. */
function bind(call: GraphCall, id: string): Bound | undefined {
  const { world, caller, login } = call;
  const accounts = [...world.accounts.values()].filter((account) => mayUse(caller, account));
  const [own] = accounts;
  if (id === "me" && caller.token?.kind === "user") return handlers(call, userEdges, caller.token, id);
  if (id === "me") return own && handlers(call, login === "instagram" ? accountEdges : pageEdges, own, id);
  if (caller.app.id === id) return handlers(call, appEdges, caller.app, id);
  for (const account of accounts) {
    if (login === "facebook" && account.pageId === id) return handlers(call, pageEdges, account, id);
    if (account.id === id || (login === "instagram" && account.appScopedId === id)) {
      return handlers(call, accountEdges, account, id);
    }
    const conversations = [...account.conversations.values()];
    const conversation = account.byIgsid(id);
    if (conversation) return handlers(call, personEdges, { account, conversation }, id);
    const thread = conversations.find((each) => each.id === id);
    if (thread) return handlers(call, conversationEdges, { account, conversation: thread }, id);
    const holder = conversations.find((each) => each.get(id));
    const message = holder?.get(id);
    if (holder && message)
      return handlers(call, messageEdges, { account, conversation: holder, message }, id);
    const post = world.posts.get(id);
    if (post?.accountId === account.id && !post.deleted)
      return handlers(call, postEdges, { account, post }, id);
    const comment = world.comments.get(id);
    const below = comment && world.posts.get(comment.postId);
    if (comment && !comment.deleted && below?.accountId === account.id && !below.deleted) {
      return handlers(call, commentEdges, { account, post: below, comment }, id);
    }
  }
  return undefined;
}

function handlers<T>(call: GraphCall, table: EdgeTable<T>, node: T, id: string): Bound {
  return (edge) => {
    const handler = table[`${call.method} ${edge}`];
    if (handler) return handler(call, node);
    const isKnown = Object.keys(table).some((key) => key.split(" ")[1] === edge);
    throw isKnown ? noSuchObject(call.method, id) : unknownPath(edge);
  };
}

const secrets = ["client_secret", "code", "input_token", "fb_exchange_token"];

function note(
  world: World,
  exchange: Exchange,
  path: string,
  { call, reply: answer, refusal }: Outcome<OpenCall>,
): void {
  const error = refusal instanceof GraphRefusal ? refusal.error : undefined;
  const warning = servedVersion(call?.version ?? "")?.warning;
  const values = Object.entries(call?.param.values ?? {}).filter(([name]) => !secrets.includes(name));
  world.calls.append({
    method: exchange.method,
    path,
    node: call?.node ?? "",
    edge: call?.edge ?? "",
    status: answer?.status ?? 0,
    ...(error && { error_code: error.parts.code, error: error.message }),
    ...(error?.parts.subcode !== undefined && { error_subcode: error.parts.subcode }),
    ...(call && { request: Object.fromEntries(values) }),
    ...(warning !== undefined && { warning }),
    ...(refusal?.unknown && { unknown: true }),
  });
}

/** A bug of the emulator itself. */
function internal(error: unknown): GraphError {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new GraphError(`The emulator failed: ${reason}`, { status: 500, type: "OAuthException", code: 1 });
}
