import { request } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { SocksClient } from "socks";
import { messageOf } from "../../message-of.ts";
import { connectionFailure } from "../connection-failure.ts";
import { CONNECT_TIMEOUT_MS } from "../connection-options.ts";
import { BlockedAddress, guardedLookup } from "../guarded-lookup.ts";
import { createAddressCheck } from "../networks.ts";
import { reportExit, type Target } from "./exit-health.ts";
import { type ParsedProxy, type ProxyRoute, proxyOf, shownProxy } from "./proxy.ts";

/** The proxy cannot be reached, or refuses this client. Its message names the proxy without its password. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly code = "PROXY_FAILURE";
}

/** The proxy works, but cannot connect to the target. */
class TargetFailure extends Error {
  override readonly name = "TargetFailure";
  readonly code = "PROXY_TARGET_UNREACHABLE";
}

export interface TunnelOptions {
  readonly signal?: AbortSignal;
  /** For the whole of it, default 10,000. */
  readonly timeoutMs?: number;
}

/**
 * A TCP connection to a target through a SOCKS5 or HTTP proxy. Names are passed on unresolved. Rejects with `ProxyFailure`
 * if the proxy is to blame; there is no other way to the target. The other side must not write first.
 */
export async function openTunnel(
  route: ProxyRoute,
  target: Target,
  options: TunnelOptions = {},
): Promise<Socket> {
  const proxy = proxyOf(route.url);
  return reported(route, target, options, async (socket) => {
    switch (proxy.scheme) {
      case "socks5":
        return openSocks(socket, proxy, target);
      case "http":
        return openConnect(socket, proxy, target);
      case "https":
        return openConnect(await secured(socket, proxy), proxy, target);
      case "mtproxy":
        throw new ProxyFailure("An MTProxy forwards connections to Telegram's servers only");
    }
  });
}

/** A connection to the proxy itself, for protocols that are spoken with the proxy. */
export function openToProxy(route: ProxyRoute, options: TunnelOptions = {}): Promise<Socket> {
  const { host, port } = proxyOf(route.url);
  return reported(route, { host, port }, options, async (socket) => socket);
}

async function reported(
  route: ProxyRoute,
  target: Target,
  options: TunnelOptions,
  handshake: (socket: Socket) => Promise<Socket>,
): Promise<Socket> {
  try {
    const socket = await open(route, options, handshake);
    reportExit(route, null, target);
    return socket;
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    if (error instanceof ProxyFailure) reportExit(route, error.message, target);
    else if (error instanceof TargetFailure) reportExit(route, null, target);
    throw error;
  }
}

async function open(
  route: ProxyRoute,
  { signal, timeoutMs = CONNECT_TIMEOUT_MS }: TunnelOptions,
  handshake: (socket: Socket) => Promise<Socket>,
): Promise<Socket> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(timeoutMs);
  const ends = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const shown = shownProxy(route.url);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const socket = dial(route);
  const fail = (why: string): void => reject(new ProxyFailure(`The proxy ${shown} ${why}`));
  const onAbort = (): void => fail("did not respond in time");
  const onError = (error: Error): void =>
    error instanceof BlockedAddress
      ? reject(notPublic(shown))
      : fail(`cannot be used: ${connectionFailure(error)}`);
  const onClose = (): void => fail("closed the connection");
  ends.addEventListener("abort", onAbort, { once: true });
  socket.on("error", onError).on("close", onClose);
  try {
    const opening = connected(socket).then(() => handshake(socket));
    opening.catch(() => undefined);
    return await Promise.race([opening, ended]);
  } catch (error) {
    socket.destroy();
    if (error instanceof ProxyFailure || error instanceof TargetFailure) throw error;
    throw new ProxyFailure(`The proxy ${shown} cannot be used: ${messageOf(error)}`);
  } finally {
    ends.removeEventListener("abort", onAbort);
    socket.off("close", onClose).off("error", onError);
    // Whoever uses the socket has not subscribed yet.
    socket.on("error", () => undefined);
  }
}

function dial({ url, allowNetworks }: ProxyRoute): Socket {
  const { host, port } = proxyOf(url);
  const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };
  if (allowNetworks === null) return connect(options);
  const isAllowed = createAddressCheck(allowNetworks);
  if (isIP(host) !== 0 && !isAllowed(host, port)) throw notPublic(shownProxy(url));
  return connect({ ...options, lookup: guardedLookup(isAllowed, port) });
}

function notPublic(shown: string): ProxyFailure {
  return new ProxyFailure(
    `The proxy ${shown} is not at a public address. An operator can allow its network with ALLOW_NETWORKS.`,
  );
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once("connect", resolve));
}

async function secured(socket: Socket, { host }: ParsedProxy): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const secure = connectTls({
    socket,
    ALPNProtocols: ["http/1.1"],
    ...(isIP(host) === 0 ? { servername: host } : { host }),
  });
  secure.once("secureConnect", () => resolve(secure));
  secure.on("error", reject);
  return promise;
}

/** The proxy reached nothing: RFC 1928, replies 3 to 6, as `socks` names them. */
const TARGET_REPLIES =
  /rejected connection - (NetworkUnreachable|HostUnreachable|ConnectionRefused|TTLExpired)/;

async function openSocks(socket: Socket, proxy: ParsedProxy, { host, port }: Target): Promise<Socket> {
  const { username, password } = proxy;
  try {
    const opened = await SocksClient.createConnection({
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type: 5,
        ...(username === "" ? {} : { userId: username, password }),
      },
      command: "connect",
      destination: { host, port },
      existing_socket: socket,
      timeout: CONNECT_TIMEOUT_MS,
    });
    return opened.socket;
  } catch (error) {
    // The library adds its options, with the password, to the error.
    const message = messageOf(error);
    if (TARGET_REPLIES.test(message))
      throw new TargetFailure(`Behind the proxy ${shownAt(proxy)}: ${message}`);
    throw new ProxyFailure(`The proxy ${shownAt(proxy)} refuses: ${message}`);
  }
}

/** Gateway errors: the proxy works, and its connection to the target failed. */
const TARGET_STATUSES = new Set([500, 502, 503, 504]);

function openConnect(socket: Socket, proxy: ParsedProxy, { host, port }: Target): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const asked = request({
    method: "CONNECT",
    path: authority,
    createConnection: () => socket,
    headers: {
      host: authority,
      ...(username === "" ? {} : { "proxy-authorization": basic(username, password) }),
    },
  });
  asked.once("connect", ({ statusCode = 0 }, _socket, head: Buffer) => {
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      return resolve(socket);
    }
    const message = `the response to CONNECT is ${statusCode}`;
    if (TARGET_STATUSES.has(statusCode))
      reject(new TargetFailure(`Behind the proxy ${shownAt(proxy)}: ${message}`));
    else reject(new ProxyFailure(`The proxy ${shownAt(proxy)} refuses: ${message}`));
  });
  asked.on("error", reject);
  asked.end();
  return promise;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function shownAt({ scheme, host, port }: ParsedProxy): string {
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
