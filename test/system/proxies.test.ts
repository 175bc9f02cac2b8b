import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Max, startMax } from "../../sandbox/max/server.ts";
import { type ProxyServer, startProxyServer } from "../../sandbox/proxy-server.ts";
import { readQr } from "../../sandbox/qr-reader.ts";
import { must, requestId, type Stand, startStand } from "../kit/stand.ts";
import { startWhatsappStand, type WhatsappStand } from "../kit/whatsapp.ts";

type Json = Record<string, unknown>;
type Told = readonly Json[];

const GUARD = join(import.meta.dirname, "../kit/egress-guard.ts");
/** Ends a test that hangs; not a limit of time. */
const PATIENCE = { timeout: 120_000, interval: 50 };
const FILE = Buffer.alloc(1_500_000, "0123456789");
/** So much of a file that it has certainly begun, and not ended. */
const PART_BYTES = 400_000;
const ANN = "79990000902";

/** A channel with its own proxy, and the person who writes with it. */
interface Line {
  readonly name: string;
  readonly proxy: ProxyServer;
  id: string;
  recipient: { readonly chat_type: string; readonly chat_id: string };
  link(): Promise<void>;
  /** The texts and file names on the person's side, in order. */
  seen(): Promise<string[]>;
  /** The person sends this file. */
  writeFile(): Promise<unknown>;
  /** Whether the messenger recognises a message that is sent again. */
  readonly isIdempotent: boolean;
}

let stand: Stand;
let whatsapp: WhatsappStand;
let max: Max;
let files: Server;
const lines: Line[] = [];

beforeAll(async () => {
  files = createServer((_, response) =>
    response.writeHead(200, { "content-type": "application/pdf" }).end(FILE),
  ).listen(0, "127.0.0.1");
  await once(files, "listening");
  [whatsapp, max, stand] = await Promise.all([startWhatsappStand(), startMax(), startStand()]);
  await maxAdmin("POST /settings", { qr_polling_ms: 50, processing_ms: 5 });
  const proxies = await Promise.all(
    (["socks5", "http", "socks5"] as const).map((scheme) =>
      startProxyServer({ scheme, username: "u", password: "p:w" }),
    ),
  );
  const ports = [...proxies.map(({ port }) => port), portOf(files), Number(new URL(stand.receiver.url).port)];
  await stand.start({
    ...whatsapp.environment,
    MAX_WS_URL: max.url,
    NODE_OPTIONS: `--import=${pathToFileURL(GUARD).href}`,
    EGRESS_LOG: egressLog(),
    EGRESS_ALLOWED: ports.join(),
  });
  const subscriptions = { messagesAndStatuses: true, channelsUpdates: true };
  await must(stand.call("PATCH", "/v3/webhooks", { webhooksUri: stand.receiver.url, subscriptions }));
  const [first, second, third] = proxies;
  if (first === undefined || second === undefined || third === undefined) throw new Error("no proxies");
  lines.push(whatsappLine(first), maxLine(second), await telegramLine(third));
  await Promise.all(lines.map((line) => line.link()));
  await Promise.all(lines.map((line) => untilStatus(line, "active/null")));
});
afterAll(async () => {
  await stand.stop();
  for (const { proxy } of lines) await proxy.close();
  files.close();
  await Promise.all([whatsapp.close(), max.close()]);
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const egressLog = (): string => join(String(stand.environment["DATA_DIR"]), "egress");

async function maxAdmin<T = Json>(route: string, body?: object): Promise<T> {
  const [method = "GET", path = "/"] = route.split(" ");
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(max.admin + path, { ...init, headers: { "content-type": "application/json" } });
  if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** What the receiver was told, of both interfaces, in order. */
function told(): Told {
  return stand.receiver.posts.flatMap(({ body, status }) => {
    if (status !== 200) return [];
    const parsed = JSON.parse(body) as Json & { event?: string; data?: Json[] };
    if (parsed.event !== undefined)
      return (parsed.data ?? []).map((each) => ({ event: parsed.event, ...each }));
    return ["messages", "statuses", "channelsUpdates"].flatMap((key) =>
      ((parsed[key] ?? []) as Json[]).map((each) => ({ event: key, ...each })),
    );
  });
}

async function untilTold(fits: (event: Json) => boolean, from = 0): Promise<Json> {
  const find = (): Json | undefined => told().slice(from).find(fits);
  await vi.waitUntil(() => find() !== undefined, PATIENCE);
  return find() ?? {};
}

async function createChannel(transport: string, { url }: ProxyServer, credentials: object): Promise<string> {
  const body = { transport, credentials, proxy: url };
  const { json } = await must(stand.call("POST", "/v2/channels", body));
  return (json as { data: { channel_id: string }[] }).data[0]?.channel_id ?? "";
}

async function scannedCode(channelId: string): Promise<string> {
  const event = await untilTold(
    (each) => each["event"] === "channel.qr_update" && each["channel_id"] === channelId,
  );
  return readQr(String(event["qr_code"]));
}

interface Shown {
  readonly text?: string;
  /** The author's phone. */
  readonly from?: unknown;
}
/** What the channel wrote. A file has no text. */
const shownIn = (items: readonly Shown[]): string[] =>
  items.filter(({ from }) => from !== ANN).map(({ text }) => text || "file");

function whatsappLine(proxy: ProxyServer): Line {
  const line: Line & { phone: string } = {
    name: "whatsapp",
    proxy,
    id: "",
    phone: "",
    recipient: { chat_type: "whatsapp", chat_id: ANN },
    isIdempotent: true,
    async link() {
      line.phone = await whatsapp.addPerson("Shop");
      await whatsapp.admin("POST /people", { phone: ANN, name: "Ann" });
      line.id = await createChannel("whatsapp", proxy, {});
      await whatsapp.admin(`POST /people/${line.phone}/scans`, { qr: await scannedCode(line.id) });
    },
    async seen() {
      const path = `GET /people/${ANN}/chats/${line.phone}/messages`;
      const { items } = await whatsapp.admin<{ items: Shown[] }>(path);
      return shownIn(items);
    },
    writeFile: () =>
      whatsapp.admin(`POST /people/${ANN}/messages`, {
        to: line.phone,
        kind: "document",
        file: { base64: FILE.toString("base64"), name: "a.pdf" },
      }),
  };
  return line;
}

function maxLine(proxy: ProxyServer): Line {
  const [shop, ann] = ["79990000901", ANN];
  const line: Line = {
    name: "max",
    proxy,
    id: "",
    recipient: { chat_type: "max", chat_id: "" },
    isIdempotent: true,
    async link() {
      const own = await maxAdmin<{ user_id: number }>("POST /people", { phone: shop, name: "Shop" });
      const other = await maxAdmin<{ user_id: number }>("POST /people", { phone: ann, name: "Ann" });
      line.recipient = {
        chat_type: "max",
        chat_id: String(BigInt(own.user_id) ^ BigInt(other.user_id)),
      };
      line.id = await createChannel("max", proxy, {});
      await maxAdmin(`POST /people/${shop}/scans`, { qr: await scannedCode(line.id) });
    },
    async seen() {
      const path = `GET /people/${ann}/chats/${shop}/messages`;
      return shownIn((await maxAdmin<{ items: Shown[] }>(path)).items);
    },
    writeFile: () =>
      maxAdmin(`POST /people/${ann}/messages`, {
        to: shop,
        kind: "file",
        file: { base64: FILE.toString("base64"), name: "a.pdf" },
      }),
  };
  return line;
}

async function telegramLine(proxy: ProxyServer): Promise<Line> {
  const bot = await stand.telegram.addBot(["902"]);
  const line: Line = {
    name: "telegram",
    proxy,
    id: "",
    recipient: { chat_type: "telegram", chat_id: "902" },
    isIdempotent: false,
    async link() {
      line.id = await createChannel("telegram", proxy, { telegram_token: bot.token });
    },
    async seen() {
      const path = `GET /bots/${bot.id}/sent?limit=1000`;
      const { items } = await stand.telegram.admin<{ items: { message?: Shown }[] }>(path);
      return shownIn(items.flatMap(({ message }) => (message === undefined ? [] : [message])));
    },
    writeFile: () =>
      stand.telegram.admin(`POST /bots/${bot.id}/users/902/messages`, {
        kind: "document",
        file: { base64: FILE.toString("base64"), name: "a.pdf" },
      }),
  };
  return line;
}

async function statusOf({ id }: Line): Promise<string> {
  const { json } = await must(stand.call("GET", `/v2/channels/${id}`));
  const [channel] = (json as { data: { status: string; reason: string | null }[] }).data;
  return `${channel?.status}/${channel?.reason}`;
}

const untilStatus = (line: Line, status: string): Promise<unknown> =>
  vi
    .waitUntil(async () => (await statusOf(line)) === status, PATIENCE)
    .catch(async () => {
      throw new Error(`${line.name} is ${await statusOf(line)}, not ${status}`);
    });

async function send({ id, recipient }: Line, content: object): Promise<string> {
  const { json } = await must(stand.call("POST", "/v2/messages", { channel_id: id, recipient, ...content }));
  return requestId(json);
}

const sendFile = (line: Line): Promise<string> =>
  send(line, { attachment: { url: `http://127.0.0.1:${portOf(files)}/a.pdf`, name: "a.pdf" } });

/** What went around the proxies, or was looked up. */
function around(): unknown[] {
  const file = egressLog();
  const rows = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return rows.map((row) => JSON.parse(row) as { kind: string }).filter(({ kind }) => kind !== "started");
}

const onEach = (work: (line: Line) => Promise<unknown>): Promise<unknown> => Promise.all(lines.map(work));

/** What the channel wrote after its first `from` messages, as soon as `last` is there. */
async function untilSeen(line: Line, from: number, last: string): Promise<string[]> {
  const seen = async (): Promise<string[]> => (await line.seen()).slice(from);
  await vi
    .waitUntil(async () => (await seen()).includes(last), PATIENCE)
    .catch(async () => {
      throw new Error(
        `${line.name} showed only ${JSON.stringify(await seen())}, and is ${await statusOf(line)}`,
      );
    });
  return seen();
}

/** Opens the session again, without a new login. */
async function reopen({ id, proxy }: Line): Promise<void> {
  await must(stand.call("POST", `/v2/channels/${id}/reinit`, { proxy: proxy.url }));
}

/** The channel tells its owner why it does not send. */
async function untilItSaysWhy(line: Line, from: number): Promise<void> {
  await untilStatus(line, "init/proxy");
  await untilTold((each) => isStatusOf(line)(each) && each["reason"] === "proxy", from);
}

const isStatusOf =
  ({ id }: Line, status?: string) =>
  (each: Json): boolean =>
    each["event"] === "channel.status_update" &&
    each["channel_id"] === id &&
    (status === undefined || each["status"] === status);

const untilSettled = (messageId: string): Promise<Json> =>
  untilTold(
    (each) =>
      each["event"] === "statuses" &&
      each["messageId"] === messageId &&
      /^(sent|error)$/.test(String(each["status"])),
  );

describe("if the proxy dies, sends wait, nothing goes around it, and all are sent once it works again", () => {
  // A session that was lost several times in a row waits longer and longer; a new one does not.
  afterEach(async () => {
    expect(around()).toEqual([]);
    await onEach(reopen);
    await onEach((line) => untilStatus(line, "active/null"));
  });

  test("while the channel is idle, in the handshake, and before it connects", () =>
    onEach(async (line) => {
      const before = (await line.seen()).length;
      line.proxy.breakHandshakes();
      await untilItSaysWhy(line, told().length);
      await send(line, { text: "idle 1" });
      await line.proxy.kill();
      const toldBeforeReopened = told().length;
      await reopen(line);
      await untilItSaysWhy(line, toldBeforeReopened);
      await send(line, { text: "idle 2" });
      expect((await line.seen()).slice(before)).toEqual([]);
      const toldBefore = told().length;
      await line.proxy.revive();
      expect(await untilSeen(line, before, "idle 2")).toEqual(["idle 1", "idle 2"]);
      await untilTold(isStatusOf(line, "active"), toldBefore);
      // In between, messages would be refused.
      const statuses = told().slice(toldBefore).filter(isStatusOf(line));
      expect(statuses.map(({ status }) => status)).toEqual(["active"]);
    }));

  test("while a message is sent", () =>
    onEach(async (line) => {
      const before = (await line.seen()).length;
      const died = line.proxy.killAfter("to", 1);
      const first = await send(line, { text: "flight 1" });
      await died;
      await send(line, { text: "flight 2" });
      await line.proxy.revive();
      const shown = await untilSeen(line, before, "flight 2");
      const { status } = await untilSettled(first);
      expect(line.isIdempotent ? [status, ...shown] : shown.slice(-1)).toEqual(
        line.isIdempotent ? ["sent", "flight 1", "flight 2"] : ["flight 2"],
      );
      expect(shown.filter((text) => text === "flight 1").length).toBeLessThan(2);
    }));

  test("while a file is uploaded", () =>
    onEach(async (line) => {
      const before = (await line.seen()).length;
      const died = line.proxy.killAfter("to", PART_BYTES);
      const file = await sendFile(line);
      await died;
      await send(line, { text: "after the file" });
      await line.proxy.revive();
      const shown = await untilSeen(line, before, "after the file");
      const { status } = await untilSettled(file);
      const isKept = status === "sent";
      if (line.isIdempotent) expect(isKept).toBe(true);
      expect(shown).toEqual([...(isKept ? ["file"] : []), "after the file"]);
    }));

  test("while a file is downloaded", () =>
    onEach(async (line) => {
      const toldBefore = told().length;
      const died = line.proxy.killAfter("from", PART_BYTES);
      await line.writeFile();
      const { contentUri } = await untilTold(
        (each) => each["event"] === "messages" && each["channelId"] === line.id && "contentUri" in each,
        toldBefore,
      );
      const download = async (): Promise<boolean> => {
        const answer = await fetch(String(contentUri));
        return answer.ok && Buffer.from(await answer.arrayBuffer()).equals(FILE);
      };
      void download().catch(() => false);
      await died;
      await line.proxy.revive();
      await vi.waitUntil(() => download().catch(() => false), PATIENCE);
    }));
});
