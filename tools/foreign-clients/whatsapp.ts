import { type EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { expectEqual, type ForeignClient, type Json, type Stage } from "./client.ts";

const [ann, bob] = ["79990000001", "79990000002"] as const;
const toBob = `${bob}@s.whatsapp.net`;

interface Received {
  readonly chatJid: string;
  readonly stanzaId: string;
  readonly message?: { readonly conversation?: string };
}

interface WaClient extends EventEmitter {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  sendMessage(to: string, content: unknown, options?: object): Promise<{ id: string }>;
  sendReceipt(receipt: object): Promise<void>;
  readonly group: {
    createGroup(subject: string, members: readonly string[]): Promise<{ content: readonly Json[] }>;
  };
}

interface Library {
  WaClient: new (options: object, logger: object) => WaClient;
  createStore(options: object): unknown;
}

/**
 * An independent implementation of WhatsApp Web: no fork of baileys, and the only one here that resumes (Noise IK). No
 * development dependency, because its package neither names nor contains a licence.
 */
export const zapo: ForeignClient = {
  emulator: "whatsapp",
  name: "zapo-js",
  version: "0.3.0",
  peers: { ws: "8.18.3" },
  async run(stage) {
    const open = await opener(stage);
    for (const phone of [ann, bob]) await stage.admin("POST /people", { phone });
    const first = open();
    await stage.step("pair", () => pair(stage, first));
    await stage.step("receive", () => receive(stage, first, "Hello"));
    await send(stage, first);
    await stage.step("media", () => sendPicture(stage, first));
    await stage.step("group", () => writeToGroup(stage, first));
    await stage.step("disconnect", () => first.disconnect());
    const second = open();
    await stage.step("resume", () => resume(stage, second));
    await stage.step("receive again", () => receive(stage, second, "Are you there?"));
    await stage.step("violations", async () => {
      expectEqual((await stage.admin("GET /events?event=violation"))["items"], []);
      expectEqual((await stage.admin("GET /iqs?unknown=true"))["items"], []);
    });
  },
};

/** Returns what makes a client, each with the same saved state. */
async function opener({ url, load, atEnd }: Stage): Promise<() => WaClient> {
  const { whatsapp } = (await (await fetch(url)).json()) as Json;
  const library = load("zapo-js") as Library;
  const agent = new Agent({ ca: readFileSync(String(whatsapp?.["ca"])) });
  const store = library.createStore({
    backends: { own: { stores: { auth: memoryAuth }, caches: {} } },
    providers: { auth: "own" },
    cacheProviders: { messageSecret: "memory" },
  });
  const options = {
    store,
    sessionId: "sandbox",
    chatSocketUrls: [String(whatsapp?.["url"])],
    proxy: { ws: agent, mediaUpload: agent, mediaDownload: agent },
    testHooks: {
      noiseRootCa: { publicKey: Buffer.from(String(whatsapp?.["root_key"]), "hex"), serial: 0 },
    },
  };
  return () => {
    const client = new library.WaClient(options, silent);
    atEnd(() => client.disconnect());
    return client;
  };
}

const nothing = () => undefined;
const silent = {
  level: "error",
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

/** The library brings no store of credentials in memory. */
function memoryAuth() {
  let saved: unknown = null;
  const save = async (credentials: unknown) => {
    saved = credentials;
  };
  return { load: async () => saved, save, clear: () => save(null) };
}

async function pair({ admin }: Stage, client: WaClient): Promise<void> {
  const shown = once(client, "auth_qr");
  await client.connect();
  const [{ qr }] = (await shown) as [{ qr: string }];
  await admin(`POST /people/${ann}/scans`, { qr });
  await admin(`GET /events?event=ready&phone=${ann}&count=1`);
}

/** A reconnect with the known key of the server needs no full handshake. */
async function resume({ admin }: Stage, client: WaClient): Promise<void> {
  await client.connect();
  const { items } = await admin(`GET /events?event=login&phone=${ann}&count=2`);
  expectEqual(items?.[1]?.["detail"], "routed resumed");
}

async function receive({ admin }: Stage, client: WaClient, text: string): Promise<void> {
  const arrived = messageWith(client, text);
  await admin(`POST /people/${bob}/messages`, { to: ann, text });
  const { chatJid, stanzaId } = await arrived;
  await client.sendReceipt({ to: chatJid, id: stanzaId, type: "read" });
  await admin(`GET /receipts?type=read&phone=${ann}&message_id=${stanzaId}&count=1`);
}

/** Messages of the account's own phone (keys, history) come as well. */
function messageWith(client: WaClient, text: string): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>();
  client.on("message", (received: Received) => {
    if (received.message?.conversation === text) resolve(received);
  });
  return promise;
}

/** A text; both receipts of it; its edit and its deletion. */
async function send(stage: Stage, client: WaClient): Promise<void> {
  const id = await stage.step("send", async () => {
    const { id } = await client.sendMessage(toBob, "Hi");
    await inbox(stage, `message_id=${id}`, { kind: "text", text: "Hi", problem: null });
    return id;
  });
  await stage.step("be read", async () => {
    const read = receiptOf(client, id);
    await stage.admin(`POST /people/${bob}/reads`, { message_id: id });
    await read;
  });
  const key = { remoteJid: toBob, fromMe: true, id };
  await stage.step("edit", async () => {
    const editedMessage = { conversation: "Hi there" };
    await client.sendMessage(toBob, { protocolMessage: { key, type: 14, editedMessage } });
    await inbox(stage, `target_id=${id}&kind=edit`, { text: "Hi there", problem: null });
  });
  await stage.step("delete", async () => {
    await client.sendMessage(toBob, { protocolMessage: { key, type: 0 } });
    await inbox(stage, `target_id=${id}&kind=deletion`, { problem: null });
  });
}

function receiptOf(client: WaClient, id: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  client.on("message_receipt", (receipt: { stanzaId?: string; stanzaType?: string }) => {
    if (receipt.stanzaId === id && receipt.stanzaType === "read") resolve();
  });
  return promise;
}

async function sendPicture(stage: Stage, client: WaClient): Promise<void> {
  const media = new Uint8Array(Buffer.from("89504e470d0a1a0a", "hex"));
  const picture = { type: "image", media, mimetype: "image/png", caption: "A picture" };
  const { id } = await client.sendMessage(toBob, picture);
  await inbox(stage, `message_id=${id}`, { kind: "image", text: "A picture", problem: null });
  const file = await stage.admin(`GET /people/${bob}/chats/${ann}/messages/${id}/file`);
  expectEqual(file["size"], media.length);
}

async function writeToGroup(stage: Stage, client: WaClient): Promise<void> {
  const { content } = await client.group.createGroup("Team", [toBob]);
  const group = `${content[0]?.["attrs"]?.["id"]}@g.us`;
  const { id } = await client.sendMessage(group, "Welcome");
  await inbox(stage, `message_id=${id}`, { chat: group, text: "Welcome", problem: null });
}

/** Waits for an entry of Bob's phone, and compares these fields of it. */
async function inbox(
  { admin }: Stage,
  filter: string,
  wanted: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { items } = await admin(`GET /people/${bob}/inbox?count=1&${filter}`);
  const fields = Object.keys(wanted).map((name) => [name, items?.[0]?.[name]]);
  expectEqual(Object.fromEntries(fields), wanted);
}
