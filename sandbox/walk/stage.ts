import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { InboxItem } from "../inbox.ts";
import { sampleFile } from "../sample-file.ts";
import { startSandbox } from "../server.ts";
import { openFront } from "./front.ts";
import { type Account, createAccount, type Service, startService } from "./service.ts";
import { PATIENCE_MS, type Told, Webhooks } from "./webhooks.ts";

/** The subscriptions of the account's webhooks. */
const SUBSCRIPTIONS = {
  messagesAndStatuses: true,
  reactions: true,
  contactsAndDealsCreation: true,
  channelsUpdates: true,
  templateStatus: true,
};

/** Events that v3 webhooks do not have. */
const V2_EVENTS = ["group_chat.update", "group_chat.memberships_update", "phones.checked"];

const LOOK_EVERY_MS = 20;

/** A response of the service. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** Everything that a walk uses: an emulated messenger, the service, and the CRM. */
export interface Stage {
  /** The emulator's entry in the sandbox's `GET /`. */
  readonly emulator: Readonly<Record<string, unknown>>;
  /** The service's address, whichever node serves it. */
  readonly url: string;
  /** The node that serves requests; a step may kill and replace it. */
  service: Service;
  /** Starts another node of the same installation. */
  startNode(): Promise<Service>;
  /** Calls the service as the account: `/v2` with its access token, `/v3` with its API key. */
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Performs a person's action; throws if the emulator rejects it. */
  admin<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Resolves with the next webhook item that matches and was not consumed by a step. */
  told(what: string, fits: (told: Told) => boolean, patienceMs?: number): Promise<Told>;
  /** Whether such an unconsumed item has arrived. */
  wasTold(fits: (told: Told) => boolean): boolean;
  /** Discards such unconsumed items. */
  forget(fits: (told: Told) => boolean): void;
  /** Polls until it is true; throws after a time limit. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  /** A link to a small file of this type, as supplied by a CRM. */
  fileUrl(mime: string): string;
  close(): Promise<void>;
}

/** What a stage needs to know of the walk. */
export interface StageSetup {
  /** Environment variables that direct the service to the emulator, from the emulator's entry in `GET /`. */
  settings(emulator: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
}

/** Starts sandbox, service and account, all new and in a separate directory. */
export async function setStage(transport: string, walk: StageSetup): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-walk-"));
  const webhooks = new Webhooks();
  const sandbox = await startSandbox({ onInbox: ({ body }: InboxItem) => webhooks.take(body) });
  const files = await serveFiles();
  // The CRM has addresses of its own, unlike the messengers': see `EGRESS_ALLOWED` of the tests.
  const inbox = await openFront(() => sandbox.url);
  const current = { url: "" };
  const front = await openFront(() => current.url);
  const nodes: Service[] = [];
  const close = async (): Promise<void> => {
    for (const node of nodes.toReversed()) await node.stop();
    files.server.close().closeAllConnections();
    front.close();
    inbox.close();
    await sandbox.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const emulators = (await (await fetch(sandbox.url)).json()) as Record<string, Record<string, unknown>>;
    const emulator = emulators[transport] ?? {};
    // Keeps the embedded database running while nodes come and go.
    const secretKey = randomBytes(32).toString("base64");
    await startOne(nodes, { ...environment(directory, secretKey), ROLES: "jobs" });
    const env = {
      ...environment(join(directory, "nodes"), secretKey),
      ...walk.settings(emulator),
      DATABASE_URL: await databaseUrl(directory),
      PUBLIC_URL: front.url,
      EGRESS_ALLOWED: [process.env["EGRESS_ALLOWED"], portOf(inbox.url), portOf(files.url)].join(),
    };
    const startNode = (): Promise<Service> => startOne(nodes, env);
    let service = await startNode();
    current.url = service.url;
    const account = await createAccount(env);
    const stage: Stage = {
      emulator,
      url: front.url,
      get service() {
        return service;
      },
      set service(node) {
        service = node;
        current.url = node.url;
      },
      startNode,
      api: (method, path, body) => askService(front.url, account, { method, path, body }),
      admin: (method, path, body) => askAdmin(`${String(emulator["admin"])}${path}`, method, body),
      told: (what, fits, patienceMs) => webhooks.next(what, fits, patienceMs),
      wasTold: (fits) => webhooks.has(fits),
      forget: (fits) => webhooks.forget(fits),
      until,
      fileUrl: (mime) => `${files.url}/${encodeURIComponent(mime)}`,
      close,
    };
    await subscribe(stage, `${inbox.url}/inbox`);
    return stage;
  } catch (error) {
    await close();
    throw error;
  }
}

async function startOne(nodes: Service[], env: Parameters<typeof startService>[0]): Promise<Service> {
  const node = await startService(env);
  nodes.push(node);
  return node;
}

/** Subscribes the sandbox's inbox to all webhooks. */
async function subscribe(stage: Stage, inboxUrl: string): Promise<void> {
  const settings = { webhooksUri: `${inboxUrl}/walk`, subscriptions: SUBSCRIPTIONS };
  const { status } = await stage.api("PATCH", "/v3/webhooks", settings);
  const data = V2_EVENTS.map((event) => ({ event, url: `${inboxUrl}/groups` }));
  const groups = await stage.api("POST", "/v2/webhooks", { data });
  if (status !== 200 || groups.status !== 200)
    throw new Error(`the webhooks could not be subscribed to: ${status}, ${groups.status}`);
}

function portOf(url: string): string {
  return new URL(url).port;
}

/** A connection string for the embedded database. */
async function databaseUrl(directory: string): Promise<string> {
  const password = (await readFile(join(directory, "postgres.key"), "utf8")).trim();
  return `postgres://trunkline:${password}@localhost/postgres?host=${encodeURIComponent(join(directory, "db"))}`;
}

function environment(directory: string, secretKey: string): Record<string, string> {
  return {
    DATA_DIR: directory,
    SECRET_KEY: secretKey,
    HOST: "127.0.0.1",
    PORT: "0",
    SANDBOX: "0",
    PACING: "off",
    ALLOW_NETWORKS: "127.0.0.0/8",
    LOG_FORMAT: "json",
    NODE_ENV: "production",
    // A machine that stops for five seconds keeps it.
    NODE_LEASE_MS: "9000",
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never came to this: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function askService(
  url: string,
  { accessToken, apiKey }: Account,
  { method, path, body }: { method: string; path: string; body: unknown },
): Promise<Answer> {
  const token = path.startsWith("/v3") ? apiKey : accessToken;
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    json: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text,
  };
}

async function askAdmin<T>(url: string, method: string, body: unknown): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

/** `GET /<type>` returns a small file of that type; for `big`, one byte more than the interface allows. */
async function serveFiles(): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const mime = decodeURIComponent((request.url ?? "/").slice(1));
    const bytes = mime === "big" ? Buffer.alloc(50 * 1024 * 1024 + 1) : sampleFile(mime, undefined);
    response.writeHead(200, { "content-type": mime === "big" ? "application/pdf" : mime }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
