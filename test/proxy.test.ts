import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { type ProxyServer, type ProxyServerOptions, startProxyServer } from "../sandbox/proxy-server.ts";
import { makeServerIdentity } from "../sandbox/whatsapp/tls/certificate.ts";
import { registry, reportExits } from "../src/platform/metrics.ts";
import { createHttpClient, type HttpFailure } from "../src/platform/network/http-client.ts";
import { exitHealth, watchExit } from "../src/platform/network/proxy/exit-health.ts";
import { exitKey } from "../src/platform/network/proxy/proxy.ts";
import { ProxyTunnelAgent } from "../src/platform/network/proxy/proxy-agent.ts";
import { proxyDispatcher } from "../src/platform/network/proxy/proxy-dispatcher.ts";
import { openTunnel } from "../src/platform/network/proxy/tunnel.ts";
import { fetchOptions } from "../src/transports/whatsapp/proxied-fetch.ts";

/** Resolved by the proxy only. */
const NAME = "messenger.example";
let port = 0;
const server = createServer((_, response) => void response.end("hello"));
const sockets = new WebSocketServer({ server });
sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(data)));

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  sockets.close();
  server.closeAllConnections();
  server.close();
});

const USER = { username: "käthe", password: "s:e@c/ret" };
const KINDS: readonly ProxyServerOptions[] = [
  { scheme: "socks5" },
  { scheme: "socks5", ...USER },
  { scheme: "http" },
  { scheme: "http", ...USER },
];
const nameOf = ({ scheme, username }: ProxyServerOptions) =>
  `${scheme}${username === undefined ? "" : " with a password"}`;

async function started(options: ProxyServerOptions): Promise<ProxyServer> {
  const proxy = await startProxyServer(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

const clientOf = (url: string) =>
  createHttpClient({
    redact: (text) => text,
    dispatcher: proxyDispatcher(
      { url, allowNetworks: null },
      { hosts: [], allowNetworks: [], authorities: "" },
    ),
  });

test.each(KINDS.map((kind) => [nameOf(kind), kind] as const))(
  "%s: requests, fetch and WebSockets",
  async (_, kind) => {
    const proxy = await started(kind);
    const route = { url: proxy.url, allowNetworks: null };
    const answer = await clientOf(proxy.url)({ method: "GET", url: `http://${NAME}:${port}/` });
    expect(Buffer.from(await answer.bytes()).toString()).toBe("hello");
    const fetched = await fetch(`http://${NAME}:${port}/`, fetchOptions(route));
    expect(await fetched.text()).toBe("hello");
    const socket = new WebSocket(`ws://${NAME}:${port}/`, {
      agent: new ProxyTunnelAgent(route, { secure: false }),
    });
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    socket.send("echo");
    expect(String((await once(socket, "message"))[0])).toBe("echo");
    expect(new Set(proxy.targets)).toEqual(new Set([`${NAME}:${port}`]));
    expect(proxy.targets.length).toBe(3);
  },
);

test.each(KINDS.map((kind) => [nameOf(kind), kind] as const))(
  "%s: a failure is reported, without the password, and the way back too",
  async (_, kind) => {
    const proxy = await started(kind);
    const states: (string | null)[] = [];
    onTestFinished(
      watchExit({ url: proxy.url, allowNetworks: null }, ({ failure }) => void states.push(failure)),
    );
    const request = clientOf(proxy.url);
    const get = () => request({ method: "POST", url: `http://${NAME}:${port}/`, body: "x" });
    await proxy.kill();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const failure = (await get().catch((error: unknown) => error)) as HttpFailure;
      expect(failure).toMatchObject({ name: "HttpFailure", sent: false, isBlocked: false });
      expect(failure.message).toContain(`${kind.scheme}://127.0.0.1:${proxy.port}`);
      expect(failure.message).not.toContain("ret");
    }
    expect(states).toEqual([expect.stringContaining("ECONNREFUSED")]);
    await proxy.revive();
    await (await get()).bytes();
    expect(states).toEqual([expect.any(String), null]);
    expect(exitHealth({ url: proxy.url, allowNetworks: null })).toMatchObject({
      failed: 2,
      opened: 1,
      failure: null,
    });
  },
);

test.each([["socks5"], ["http"]] as const)("%s: a wrong password is the proxy's failure", async (scheme) => {
  const proxy = await started({ scheme, ...USER });
  const wrong = proxy.url.replace(/:[^:@]*@/, ":wrong@");
  const failure = await openTunnel({ url: wrong, allowNetworks: null }, { host: NAME, port }).catch(
    (e: unknown) => e,
  );
  expect(failure).toMatchObject({ name: "ProxyFailure" });
  expect(String(failure)).not.toContain("wrong");
  expect([proxy.refused, proxy.targets]).toEqual([1, []]);
});

test("nobody makes a proxy of others look broken by naming it", async () => {
  const proxy = await started({ scheme: "socks5", ...USER });
  const own = { url: proxy.url, allowNetworks: null };
  const others = [
    // A guessed address without the password.
    { url: proxy.url.replace(/:[^:@]*@/, ":wrong@"), allowNetworks: null },
    // The address itself, which is not public, named by a tenant.
    { url: proxy.url, allowNetworks: [] },
  ];
  for (const route of others)
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(openTunnel(route, { host: NAME, port })).rejects.toMatchObject({ name: "ProxyFailure" });
  for (const route of others) expect(exitHealth(route).failure).not.toBeNull();
  expect(exitHealth(own)).toMatchObject({ failed: 0, failure: null });
});

test.each([["socks5"], ["http"]] as const)(
  "%s: an unreachable target is not the proxy's failure",
  async (scheme) => {
    const proxy = await started({ scheme });
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port: unused } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const route = { url: proxy.url, allowNetworks: null };
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(openTunnel(route, { host: NAME, port: unused })).rejects.toMatchObject({
        name: "TargetFailure",
      });
    expect(exitHealth({ url: proxy.url, allowNetworks: null }).failure).toBeNull();
  },
);

test("a proxy that says nothing is given up", async () => {
  const open = new Set<Socket>();
  const silent = createTcpServer((socket) => {
    open.add(socket);
  });
  const proxy = await new Promise<AddressInfo>((resolve) =>
    silent.listen(0, "127.0.0.1", () => resolve(silent.address() as AddressInfo)),
  );
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    silent.close();
  });
  const route = { url: `socks5://127.0.0.1:${proxy.port}`, allowNetworks: null };
  await expect(openTunnel(route, { host: NAME, port }, { timeoutMs: 20 })).rejects.toThrow(
    "did not respond in time",
  );
});

test("a tenant's proxy must be public, by address and by name", async () => {
  const proxy = await started({ scheme: "socks5" });
  for (const host of ["127.0.0.1", "localhost"]) {
    const route = { url: `socks5://${host}:${proxy.port}`, allowNetworks: [] };
    await expect(openTunnel(route, { host: NAME, port })).rejects.toThrow("not at a public address");
  }
  const allowed = { url: proxy.url, allowNetworks: ["127.0.0.0/8"] };
  (await openTunnel(allowed, { host: NAME, port })).destroy();
  expect(proxy.targets).toEqual([`${NAME}:${port}`]);
});

test("an operator's proxy does not lead tenants into its own network", async () => {
  const proxy = await started({ scheme: "http" });
  const request = clientOf(proxy.url);
  for (const host of ["127.0.0.1", "localhost", "10.0.0.1", "[::1]", "wiki"])
    await expect(request({ method: "GET", url: `http://${host}:${port}/` })).rejects.toMatchObject({
      isBlocked: true,
    });
  expect(proxy.targets).toEqual([]);
});

test("metrics tell exits apart, with their state and connections, and without their passwords", async () => {
  const [first, second] = [await started({ scheme: "socks5" }), await started({ scheme: "http", ...USER })];
  reportExits([first.url, second.url]);
  onTestFinished(() => reportExits([]));
  await second.kill();
  const open = ({ url }: ProxyServer) => openTunnel({ url, allowNetworks: null }, { host: NAME, port });
  (await open(first)).destroy();
  for (let attempt = 0; attempt < 2; attempt += 1) await expect(open(second)).rejects.toThrow();
  const text = await registry.metrics();
  const labels = ({ url, port: own }: ProxyServer, scheme: string) =>
    `exit="${exitKey(url)}",address="${scheme}://127.0.0.1:${own}"`;
  for (const line of [
    `trunkline_exit_up{${labels(first, "socks5")}} 1`,
    `trunkline_exit_up{${labels(second, "http")}} 0`,
    `trunkline_exit_connections{${labels(first, "socks5")},result="opened"} 1`,
    `trunkline_exit_connections{${labels(second, "http")},result="failed"} 2`,
  ])
    expect(text).toContain(line);
  expect(text).not.toContain("ret");
});

describe("https", () => {
  const identity = makeServerIdentity(["127.0.0.1"]);

  /** TLS before a proxy that speaks HTTP. */
  async function startedBehindTls(): Promise<{ readonly url: string; readonly proxy: ProxyServer }> {
    const proxy = await started({ scheme: "http", ...USER });
    const front = createTlsServer({ key: identity.key, cert: identity.certificate }, (client) => {
      const onward = connect(proxy.port, "127.0.0.1");
      client.pipe(onward).pipe(client);
      client.on("error", () => onward.destroy()).on("close", () => onward.destroy());
      onward.on("error", () => client.destroy()).on("close", () => client.destroy());
    });
    front.listen(0, "127.0.0.1");
    await once(front, "listening");
    onTestFinished(() => void front.close());
    const { port: own } = front.address() as AddressInfo;
    return { url: proxy.url.replace("http:", "https:").replace(/\d+$/, String(own)), proxy };
  }

  test("a proxy whose authority the process trusts is used for requests, files and WebSockets", async () => {
    const { url, proxy } = await startedBehindTls();
    const directory = await mkdtemp(join(tmpdir(), "trunkline-proxy-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const ca = join(directory, "ca.pem");
    await writeFile(ca, identity.authority);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca, PROXY_URL: url, TARGET: `${NAME}:${port}` };
    const program = join(import.meta.dirname, "kit/proxied-requests.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    expect(stdout).toBe("hello hello echo\n");
    expect(proxy.targets).toEqual(Array(3).fill(`${NAME}:${port}`));
  });

  test("another certificate is the proxy's failure, before the password is sent", async () => {
    const { url, proxy } = await startedBehindTls();
    const route = { url, allowNetworks: null };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const failure = await openTunnel(route, { host: NAME, port }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "ProxyFailure" });
      expect(String(failure)).toMatch(/https:\/\/127\.0\.0\.1:\d+ cannot be used: .*certificate/);
    }
    expect(exitHealth(route).failure).toContain("certificate");
    expect([proxy.targets, proxy.refused]).toEqual([[], 0]);
  });
});
