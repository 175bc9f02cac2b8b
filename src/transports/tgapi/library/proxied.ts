import type { Socket } from "node:net";
import { BaseMtProxyTransport, type TelegramTransport } from "@mtcute/core";
import { type ProxyRoute, proxyOf } from "../../../platform/network/proxy/proxy.ts";
import { openToProxy, openTunnel } from "../../../platform/network/proxy/tunnel.ts";
import { createSocketTransport, openSocketConnection, type SocketOptions } from "./socket.ts";

/** Connections to Telegram: direct, through a SOCKS5 or HTTP proxy, or through an MTProxy. */
export function createTransport(proxy: ProxyRoute | null, options: SocketOptions): TelegramTransport {
  if (proxy === null) return createSocketTransport(options);
  if (proxyOf(proxy.url).scheme === "mtproxy") return new MtProxyTransport(proxy, options);
  const { signal } = options;
  return createSocketTransport(
    options,
    (host, port): Promise<Socket> => openTunnel(proxy, { host, port }, { signal }),
  );
}

/** The library's obfuscation and handshake, over our sockets. */
class MtProxyTransport extends BaseMtProxyTransport {
  readonly #route: ProxyRoute;
  readonly #options: SocketOptions;

  constructor(route: ProxyRoute, options: SocketOptions) {
    const { host, port, username: secret } = proxyOf(route.url);
    super({ host, port, secret });
    this.#route = route;
    this.#options = options;
  }

  // The library asks for a TCP connection's switches too, and does not use them.
  _connectTcp(): ReturnType<BaseMtProxyTransport["_connectTcp"]> {
    const { signal } = this.#options;
    const opening = openSocketConnection(this.#options, () => openToProxy(this.#route, { signal }));
    return opening as ReturnType<BaseMtProxyTransport["_connectTcp"]>;
  }
}
