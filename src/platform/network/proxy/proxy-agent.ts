import type { ClientRequestArgs } from "node:http";
import { Agent } from "node:https";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { ProxyRoute } from "./proxy.ts";
import { openTunnel } from "./tunnel.ts";

type Callback = (error: Error | null, stream: Duplex) => void;

/** An agent of Node for libraries that take one: HTTP requests and WebSockets through a proxy, over TLS or not. */
export class ProxyTunnelAgent extends Agent {
  /** Node compares it with the URL's. */
  protocol: "http:" | "https:";
  defaultPort: number;
  readonly #route: ProxyRoute;

  constructor(route: ProxyRoute, { secure }: { readonly secure: boolean }) {
    super();
    this.#route = route;
    this.protocol = secure ? "https:" : "http:";
    this.defaultPort = secure ? 443 : 80;
  }

  override createConnection(options: ClientRequestArgs, callback?: Callback): undefined {
    const { host, port, timeout } = options;
    const target = { host: (host ?? "").replace(/^\[|\]$/g, ""), port: Number(port) };
    openTunnel(this.#route, target, timeout ? { timeoutMs: timeout } : {}).then(
      (socket) => {
        if (this.protocol === "http:") return callback?.(null, socket);
        const secure = connectTls({
          ...(options as object),
          socket,
          host: target.host,
          ALPNProtocols: ["http/1.1"],
        });
        const onError = (error: Error): void => callback?.(error, secure);
        secure.once("error", onError).once("secureConnect", () => {
          secure.off("error", onError);
          callback?.(null, secure);
        });
      },
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  }
}
