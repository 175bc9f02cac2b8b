import { canUseProxy, type TransportDefinition } from "../core/transport/definition.ts";
import { parseProxy } from "../platform/network/proxy/proxy.ts";
import { type Environment, given } from "./environment.ts";
import { list } from "./values.ts";

/** For all transports; `PROXY_VIBER` and the like take precedence. */
const ALL = "PROXY";
/** Of a transport: direct connections, whatever `PROXY` says. */
const DIRECT = "direct";

function exitsVariable(id: string): string {
  return `${ALL}_${id.toUpperCase()}`;
}

/** The operator's proxies of each transport, as URLs; faults are added to `problems`, without the passwords. */
export function readExits(
  env: Environment,
  definitions: readonly TransportDefinition[],
  problems: string[],
): Readonly<Record<string, readonly string[]>> {
  return Object.freeze(
    Object.fromEntries(
      definitions.map((definition) => {
        const own = given(env, exitsVariable(definition.id));
        const name = own === undefined ? ALL : exitsVariable(definition.id);
        const urls = list(own ?? given(env, ALL) ?? "");
        if (own !== undefined && own.toLowerCase() === DIRECT) return [definition.id, []];
        const isFaulty = urls.some((url) => {
          const proxy = parseProxy(url);
          return proxy === null || !canUseProxy(definition, proxy);
        });
        const problem = `${name} must be proxies such as socks5://user:password@host:1080 or http://host:8080`;
        if (isFaulty && !problems.includes(problem)) problems.push(problem);
        return [definition.id, [...new Set(urls)]];
      }),
    ),
  );
}

/** The variables, for the documentation. */
export function describeExits(definitions: readonly TransportDefinition[]) {
  const common = { default: null, sensitive: true };
  return [
    {
      ...common,
      env: ALL,
      help: "Proxies that channels reach their messengers through, separated by commas: socks5://user:password@host:1080, http:// or https://. Each channel keeps one of them",
    },
    ...definitions.map(({ id, mtproxy }) => ({
      ...common,
      env: exitsVariable(id),
      help: `The same for ${id}${mtproxy === true ? ", also mtproxy://secret@host:443" : ""}; ${DIRECT}: none`,
    })),
  ];
}
