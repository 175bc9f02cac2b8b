import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type ProxyServerOptions, startProxyServer } from "../../../sandbox/proxy-server.ts";
import type { Config } from "../../config.ts";
import type { TransportDefinition } from "../../core/transport/definition.ts";
import { checkProxies } from "./proxies.ts";

const NAME = "messenger.example";
let messenger: Server;

beforeAll(async () => {
  messenger = createServer((socket) => void socket.destroy()).listen(0, "127.0.0.1");
  await once(messenger, "listening");
});
afterAll(() => void messenger.close());

const definition = (id: string): TransportDefinition =>
  ({ id, settings: { apiUrl: { address: true } } }) as unknown as TransportDefinition;

function check(exits: Readonly<Record<string, readonly string[]>>) {
  const { port } = messenger.address() as AddressInfo;
  const apiUrl = `http://${NAME}:${port}`;
  const transportSettings = Object.fromEntries(Object.keys(exits).map((id) => [id, { apiUrl }]));
  return checkProxies({ exits, transportSettings } as unknown as Config, Object.keys(exits).map(definition));
}

async function started(options: ProxyServerOptions) {
  const proxy = await startProxyServer(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

test("without proxies there is nothing to check", async () => {
  expect(await check({ vk: [], avito: [] })).toEqual([]);
});

test.each([["socks5"], ["http"]] as const)(
  "%s: each proxy is tried once, with a messenger that uses it",
  async (scheme) => {
    const proxy = await started({ scheme, username: "u", password: "secret" });
    expect(await check({ vk: [proxy.url], avito: [proxy.url] })).toEqual([
      { name: "proxy", status: "ok", detail: `${scheme}://127.0.0.1:${proxy.port} leads to ${NAME}` },
    ]);
    expect(proxy.targets).toHaveLength(1);
    expect(proxy.targets[0]).toContain(NAME);
  },
);

test.each([["socks5"], ["http"]] as const)(
  "%s: a refused or dead proxy is named, without its password",
  async (scheme) => {
    const [refusing, dead] = [
      await started({ scheme, username: "u", password: "right" }),
      await started({ scheme }),
    ];
    await dead.kill();
    const found = await check({ vk: [refusing.url.replace("right", "secret"), dead.url] });
    expect(found.map(({ status, remedy }) => [status, remedy?.includes("PROXY")])).toEqual([
      ["warn", true],
      ["warn", true],
    ]);
    for (const [index, { port }] of [refusing, dead].entries())
      expect(found[index]?.detail).toContain(`${scheme}://127.0.0.1:${port}`);
    expect(JSON.stringify(found)).not.toContain("secret");
  },
);
