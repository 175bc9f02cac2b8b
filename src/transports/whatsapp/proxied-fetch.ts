import type { Dispatcher1Wrapper } from "undici";
import type { ProxyRoute } from "../../platform/network/proxy/proxy.ts";

type Dispatch = Parameters<Dispatcher1Wrapper["dispatch"]>;

/** Options of `fetch`, which the library calls, so that its requests go through the proxy. */
export function fetchOptions(proxy: ProxyRoute | null): RequestInit {
  if (proxy === null) return {};
  const dispatcher = {
    dispatch(...[request, handler]: Dispatch): boolean {
      void dispatcherOf(proxy).then(
        (found) => found.dispatch(request, handler),
        (error: Error) => (handler as { onError?(error: Error): void }).onError?.(error),
      );
      return true;
    },
  };
  // `fetch` uses `dispatch` only; its type names the class of the undici that Node contains.
  return { dispatcher: dispatcher as never };
}

/**
 * Loaded at the first request, because it uses the memory of many sessions. The wrapper adapts the package undici to the
 * version that Node contains.
 */
async function dispatcherOf(proxy: ProxyRoute): Promise<Dispatcher1Wrapper> {
  const [{ Dispatcher1Wrapper }, { proxyDispatcher }] = await Promise.all([
    import("undici"),
    import("../../platform/network/proxy/proxy-dispatcher.ts"),
  ]);
  return new Dispatcher1Wrapper(proxyDispatcher(proxy, { hosts: [], allowNetworks: null, authorities: "" }));
}
