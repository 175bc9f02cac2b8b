import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { BlobStore } from "./blob-store.ts";
import type { Emulator } from "./emulator.ts";
import { emulatorFactories } from "./emulators.ts";
import { answerJson, type Exchange, openExchange } from "./http/exchange.ts";
import { isLoopback, isOwnOrigin } from "./http/own-origin.ts";
import { AdminRouter } from "./http/route.ts";
import { Inbox, type InboxItem } from "./inbox.ts";
import type { Numbered } from "./journal.ts";
import type { AskForCodes } from "./phone/codes.ts";
import { isPageFile, servePage } from "./phone/page.ts";
import { PhoneApi } from "./phone/serve.ts";
import { loadSnapshot, Snapshot } from "./snapshot.ts";

/** Settings of `startSandbox`. */
export interface SandboxOptions {
  /** Default `127.0.0.1`: the admin API has no password. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Directory for bots, users, chats and files that survive a restart; without it nothing is kept. */
  readonly dataDir?: string;
  /** Called for each webhook that the inbox accepts. */
  readonly onInbox?: (item: Numbered<InboxItem>) => void;
  /** Start with a bot and a customer who has pressed start. */
  readonly seedDemo?: boolean;
  /** Start separate processes immediately; by default they start on demand. */
  readonly eager?: boolean;
  /** Keep every message, instead of the last thousand of each chat. */
  readonly keepAllMessages?: boolean;
  /** Source of QR codes that wait for a scan; without it the phone scans only what it is given. */
  readonly askForCodes?: AskForCodes;
}

/** A running sandbox. */
export interface Sandbox {
  /** e.g. `http://127.0.0.1:8090`; `GET` on it lists the emulators. */
  readonly url: string;
  readonly port: number;
  /** Tells the emulators the address of the service beside them, e.g. `http://127.0.0.1:8080`. */
  serviceAt(url: string): void;
  /** Closes every connection, ends waits and writes the snapshot; quick and idempotent. */
  close(): Promise<void>;
}

interface Mounted {
  readonly emulator: Emulator;
  readonly admin: { serve(exchange: Exchange, path: string): Promise<void> };
}

/** Starts the emulated messengers and the inbox on one port. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = "127.0.0.1", port = 0 } = options;
  const address = { url: "" };
  const inbox = new Inbox(options.onInbox ?? (() => undefined));
  const mounts = mountEmulators(options, address);
  const phone = new PhoneApi({
    url: () => address.url,
    askForCodes: options.askForCodes ?? (() => Promise.resolve([])),
  });
  const serve = router({ emulators: mounts.emulators, inbox, address, phone, onLoopback: isLoopback(host) });
  const server = createServer((request, response) => serve(request, response));
  server.keepAliveTimeout = 60_000;
  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    inbox.close();
    await Promise.all([...mounts.emulators.values()].map(({ emulator }) => emulator.close()));
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    mounts.close();
  };
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    await shutDown();
    throw error;
  }
  const bound = server.address();
  const boundPort = typeof bound === "object" && bound ? bound.port : port;
  address.url = `http://${host.includes(":") ? `[${host}]` : host}:${boundPort}`;

  // Later callers get the error.
  if (options.eager)
    for (const { emulator } of mounts.emulators.values()) emulator.describe?.().catch(() => undefined);

  return {
    url: address.url,
    port: boundPort,
    serviceAt: (url) => {
      for (const { emulator } of mounts.emulators.values()) emulator.serviceAt?.(url);
    },
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
}

function mountEmulators(options: SandboxOptions, address: { readonly url: string }) {
  const { dataDir, host = "127.0.0.1" } = options;
  const blobs = new BlobStore(dataDir && join(dataDir, "sandbox-files"));
  const saved = dataDir ? loadSnapshot(join(dataDir, "sandbox.json")) : {};
  const emulators = new Map<string, Mounted>();
  const collect = () =>
    Object.fromEntries([...emulators].map(([name, { emulator }]) => [name, emulator.save()]));
  const snapshot = dataDir ? new Snapshot(join(dataDir, "sandbox.json"), collect) : undefined;
  for (const [name, create] of Object.entries(emulatorFactories)) {
    const emulator = create({
      url: () => `${address.url}/${name}`,
      blobs,
      host,
      dataDir,
      saved: saved[name],
      changed: () => snapshot?.touch(),
      keepAllMessages: options.keepAllMessages ?? false,
      seedDemo: options.seedDemo ?? false,
    });
    const { admin } = emulator;
    emulators.set(name, {
      emulator,
      admin: typeof admin === "function" ? { serve: admin } : new AdminRouter(admin),
    });
  }
  const close = () => {
    snapshot?.end();
    blobs.close();
  };
  return { emulators, close };
}

interface Parts {
  readonly emulators: ReadonlyMap<string, Mounted>;
  readonly inbox: Inbox;
  readonly address: { readonly url: string };
  readonly phone: PhoneApi;
  readonly onLoopback: boolean;
}

function router(parts: Parts) {
  const { emulators, inbox, address } = parts;
  const inboxList = new AdminRouter(inbox.routes);
  const serveAdmin = adminServer(parts);
  return (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = openExchange(request, response);
    const [first, rest] = splitPath(exchange.path);
    const mounted = emulators.get(first);
    if (mounted) mounted.emulator.handle(exchange, rest);
    else if (first === "inbox") void serveInbox(exchange, rest, inbox, inboxList);
    else if (first === "admin") void serveAdmin(exchange, rest);
    else if (isPageFile(exchange.path)) void servePage(exchange);
    else if (exchange.path === "/") void answerList(exchange, emulators, address.url);
    else answerUnknown(exchange, `nothing is served at ${exchange.path}`);
  };
}

async function serveInbox(exchange: Exchange, path: string, inbox: Inbox, list: AdminRouter): Promise<void> {
  if (exchange.method !== "POST") return list.serve(exchange, path);
  await inbox.receive(exchange, path).catch(() => exchange.response.destroy());
}

function adminServer({ emulators, inbox, phone, onLoopback }: Parts) {
  const inboxAdmin = new AdminRouter(inbox.admin);
  return async (exchange: Exchange, path: string): Promise<void> => {
    if (!isOwnOrigin(exchange.request, onLoopback)) return answerForeign(exchange);
    const [name, rest] = splitPath(path);
    if (name === "phone") return phone.serve(exchange, rest);
    const admin = name === "inbox" ? inboxAdmin : emulators.get(name)?.admin;
    const description = `there is no emulator "${name}"; there are ${[...emulators.keys()].join(", ")}`;
    if (admin === undefined) return answerUnknown(exchange, description);
    if (exchange.method !== "GET") exchange.response.on("finish", () => phone.noteChange(name));
    await admin.serve(exchange, rest);
  };
}

function answerForeign(exchange: Exchange): void {
  answerJson(exchange, 403, {
    error: "foreign_origin",
    description: "the admin API answers pages of this address only",
  });
}

function answerUnknown(exchange: Exchange, description: string): void {
  answerJson(exchange, 404, { error: "unknown_route", description });
}

/** The response to `/`: the address of each messenger. Waits for those that are starting. */
async function answerList(
  exchange: Exchange,
  emulators: ReadonlyMap<string, Mounted>,
  url: string,
): Promise<void> {
  // A browser is redirected to the phone.
  if (exchange.request.headers.accept?.includes("text/html")) {
    exchange.response.writeHead(302, { Location: "/phone", Vary: "Accept" }).end();
    return;
  }
  try {
    const entries = [...emulators].map(async ([name, { emulator }]) => {
      const own = (await emulator.describe?.()) ?? { url: `${url}/${name}` };
      return [name, { ...own, admin: `${url}/admin/${name}` }] as const;
    });
    answerJson(exchange, 200, {
      ...Object.fromEntries(await Promise.all(entries)),
      inbox: { url: `${url}/inbox` },
      phone: { url: `${url}/phone` },
    });
  } catch (error) {
    const description = error instanceof Error ? error.message : String(error);
    answerJson(exchange, 500, { error: "internal", description });
  }
}

/** `/a/b/c` → `["a", "/b/c"]`. */
function splitPath(path: string): [first: string, rest: string] {
  const end = path.indexOf("/", 1);
  return end < 0 ? [path.slice(1), ""] : [path.slice(1, end), path.slice(end)];
}
