import { once } from "node:events";
import { decode, ExtData, encode } from "@msgpack/msgpack";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { type Json, requestJson } from "../test-kit.ts";
import { startMax } from "./server.ts";

/*
 * A client of its own: from the descriptions of public clients, and without a line of the emulator. Opcodes are
 * written as numbers here, and the codecs are others than the emulator's.
 */

interface Packet {
  readonly cmd: number;
  readonly seq: number;
  readonly opcode: number;
  readonly payload: Json;
}

interface Form {
  readonly write: (cmd: number, seq: number, opcode: number, payload: unknown) => Buffer | string;
  readonly read: (data: Buffer) => Packet;
}

const json: Form = {
  write: (cmd, seq, opcode, payload) => JSON.stringify({ ver: 11, cmd, seq, opcode, payload }),
  read: (data) => JSON.parse(data.toString()) as Packet,
};

/** Sends blocks that contain only literals, which any LZ4 reader accepts. */
const binary: Form = {
  write(cmd, seq, opcode, payload) {
    const raw =
      payload === undefined ? Buffer.alloc(0) : Buffer.from(encode(wrapIds(payload), { useBigInt64: true }));
    const body = raw.length < 32 ? raw : literalBlock(raw);
    const packet = Buffer.alloc(10);
    packet.set([10, cmd, seq >> 8, seq & 255, opcode >> 8, opcode & 255]);
    packet.writeUInt32BE((raw.length < 32 ? 0 : 0x01_00_00_00) + body.length, 6);
    return Buffer.concat([packet, body]);
  },
  read(data) {
    const [flags = 0, length] = [data[6], data.readUIntBE(7, 3)];
    const body = data.subarray(10, 10 + length);
    const raw = flags === 0 ? body : unpackBlock(body);
    if (flags > 0 && raw.length > flags * length) throw new Error("larger than the flags allow");
    const payload = (raw.length === 0 ? {} : readable(decode(raw, { useBigInt64: true }))) as Json;
    return { cmd: data[1] ?? 0, seq: data.readUInt16BE(2), opcode: data.readUInt16BE(4), payload };
  },
};

function literalBlock(raw: Buffer): Buffer {
  const rest = raw.length - 15;
  const lengths = rest < 0 ? [] : [...new Array<number>(Math.floor(rest / 255)).fill(255), rest % 255];
  return Buffer.concat([Buffer.from([Math.min(raw.length, 15) << 4, ...lengths]), raw]);
}

function unpackBlock(block: Buffer): Buffer {
  const out: number[] = [];
  let at = 0;
  const length = (start: number): number => {
    let total = start;
    if (start === 15)
      do total += block[at] ?? 0;
      while (block[at++] === 255);
    return total;
  };
  for (;;) {
    const token = block[at++] ?? 0;
    for (let left = length(token >> 4); left > 0; left--) out.push(block[at++] ?? 0);
    if (at >= block.length) return Buffer.from(out);
    const distance = block.readUInt16LE(at);
    at += 2;
    for (let left = length(token & 15) + 4; left > 0; left--) out.push(out[out.length - distance] ?? 0);
  }
}

/** Numbers of people, chats and messages as extension 1, large others as 64 bits: as the web client does. */
function wrapIds(value: unknown, key = ""): unknown {
  const isId = /(^id|Id|Ids)$/.test(key) && !["deviceId", "trackId"].includes(key);
  if (isId && typeof value === "string") return new ExtData(1, encode(BigInt(value), { useBigInt64: true }));
  if (isId && typeof value === "number") return new ExtData(1, encode(BigInt(value), { useBigInt64: true }));
  if (typeof value === "number" && Math.abs(value) > 0xffff_ffff) return BigInt(value);
  if (Array.isArray(value)) return value.map((item) => wrapIds(item, key));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, wrapIds(item, name)]));
}

/** Message numbers as text, as in JSON; all others as numbers. */
function readable(value: unknown): unknown {
  if (value instanceof ExtData) return readable(decode(value.data as Uint8Array, { useBigInt64: true }));
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, readable(item)]));
}

class WebClient {
  readonly #socket: WebSocket;
  readonly #form: Form;
  readonly #opened: Promise<unknown>;
  readonly #log: Packet[] = [];
  #seq = 0;

  constructor(url: string, form: Form) {
    this.#form = form;
    this.#socket = new WebSocket(url, { headers: { Origin: "https://web.max.ru" } });
    this.#opened = once(this.#socket, "open");
    this.#socket.on("message", (data: Buffer) => {
      const packet = form.read(data);
      if (packet.cmd === 0 && packet.opcode === 1) this.#socket.send(form.write(1, packet.seq, 1, undefined));
      this.#log.push(packet);
      this.#socket.emit("packet");
    });
  }

  async open(): Promise<void> {
    await this.#opened;
    const userAgent = {
      deviceType: "WEB",
      locale: "ru",
      deviceLocale: "ru",
      osVersion: "Linux",
      deviceName: "Chrome",
      headerUserAgent: "Mozilla/5.0",
      appVersion: "26.9.8",
      screen: "1080x1920 1.0x",
      timezone: "Europe/Moscow",
    };
    await this.ask(6, { userAgent, deviceId: "5a1c0f0e-0000-4000-8000-000000000001" });
  }

  async ask(opcode: number, payload: object): Promise<Json> {
    const answer = await this.tell(opcode, payload);
    if (answer.cmd !== 1) throw new Error(`${opcode}: ${JSON.stringify(answer.payload)}`);
    return answer.payload;
  }

  tell(opcode: number, payload: object): Promise<Packet> {
    const seq = this.#seq++;
    this.#socket.send(this.#form.write(0, seq, opcode, payload));
    return this.#find((packet) => packet.cmd !== 0 && packet.seq === seq && packet.opcode === opcode);
  }

  /** The first push of this kind; waits if necessary. Returns each push once. */
  async pushed(opcode: number): Promise<Json> {
    return (await this.#find((packet) => packet.cmd === 0 && packet.opcode === opcode)).payload;
  }

  async #find(fits: (packet: Packet) => boolean): Promise<Packet> {
    const signal = AbortSignal.timeout(20_000);
    for (;;) {
      const at = this.#log.findIndex(fits);
      const [found] = at < 0 ? [] : this.#log.splice(at, 1);
      if (found) return found;
      await once(this.#socket, "packet", { signal });
    }
  }

  close(): void {
    this.#socket.close();
  }
}

test.each([
  ["binary", binary],
  ["json", json],
] as const)("a client written from the descriptions completes the main flows (%s)", async (_, form) => {
  const max = await startMax({ seedDemo: true });
  const client = new WebClient(max.url, form);
  const admin = async (route: string, body?: object) => {
    const [method = "", path = ""] = route.split(" ");
    const { status, body: answer } = await requestJson(method, max.admin + path, body);
    if (status !== 200) throw new Error(JSON.stringify(answer));
    return answer;
  };
  try {
    await admin("POST /people/79990000001/passwords", { password: "horse", hint: "animal" });
    await admin("POST /settings", { qr_polling_ms: 10 });
    await client.open();
    const token = await logIn(client, admin);
    const me = await client.ask(19, { token, chatsCount: 40, interactive: false, chatsSync: 0 });
    expect(me["profile"]?.["contact"]).toMatchObject({ phone: 79_990_000_001, names: [{ name: "Ann" }] });
    const myId = Number(me["profile"]?.["contact"]?.["id"]);
    const { contact } = await client.ask(46, { phone: "79990000002" });
    const chatId = Number(BigInt(myId) ^ BigInt(Number(contact?.["id"])));

    const messageId = await exchangeTexts(client, admin, chatId);
    await exchangeFiles(client, admin, chatId);

    const history = await client.ask(49, {
      chatId,
      from: Date.now() + 5000,
      forward: 0,
      backward: 30,
      getMessages: true,
    });
    expect((history["messages"] as unknown as Json[]).map(({ id }) => String(id))).toContain(messageId);
    await client.ask(66, { chatId, messageIds: [messageId], forMe: false });
    await admin("DELETE /people/79990000001/sessions/any");
    await client.pushed(20);
    const late = new WebClient(max.url, form);
    await late.open();
    const refused = await late.tell(19, { token, chatsCount: 40 });
    expect(refused).toMatchObject({ cmd: 3, payload: { error: "login.token", message: "FAIL_LOGIN_TOKEN" } });
    late.close();
  } finally {
    client.close();
    await max.close();
  }
});

type Admin = (route: string, body?: object) => Promise<Json>;

async function logIn(client: WebClient, admin: Admin): Promise<string> {
  const qr = await client.ask(288, {});
  const trackId = String(qr["trackId"]);
  setTimeout(() => void admin("POST /people/79990000001/scans", { qr: qr["qrLink"] }), 30);
  for (let isReady = false; !isReady; ) {
    await new Promise((resolve) => setTimeout(resolve, Number(qr["pollingInterval"])));
    isReady = Boolean((await client.ask(289, { trackId }))["status"]?.["loginAvailable"]);
  }
  const { passwordChallenge } = await client.ask(291, { trackId });
  expect(passwordChallenge?.["hint"]).toBe("animal");
  const challenge = { trackId: String(passwordChallenge?.["trackId"]) };
  expect((await client.tell(115, { ...challenge, password: "cow" })).payload["message"]).toBe(
    "FAIL_WRONG_PASSWORD",
  );
  const passed = await client.ask(115, { ...challenge, password: "horse" });
  return String(passed["tokenAttrs"]?.["LOGIN"]?.["token"]);
}

async function exchangeTexts(client: WebClient, admin: Admin, chatId: number): Promise<string> {
  const text = "привет, это проверка ".repeat(10);
  const message = {
    text,
    cid: 1_766_000_000_000,
    elements: [{ type: "STRONG", from: 0, length: 6 }],
    attaches: [],
  };
  const first = await client.ask(64, { chatId, message, notify: true });
  const messageId = String(first["message"]?.["id"]);
  expect(messageId).toMatch(/^\d{18}$/);
  const again = await client.ask(64, { chatId, message, notify: true });
  expect(String(again["message"]?.["id"])).toBe(messageId);
  expect(await admin("GET /people/79990000002/inbox?count=1")).toMatchObject({ count: 1, items: [{ text }] });

  await client.ask(67, { chatId, messageId, text: "changed", elements: [], attachments: [] });
  await admin("POST /people/79990000002/reads", { chat: "79990000001" });
  expect(await client.pushed(130)).toMatchObject({ chatId });
  await admin("POST /people/79990000002/reactions", { message_id: messageId, emoji: "🔥" });
  expect(await client.pushed(155)).toMatchObject({ totalCount: 1, counters: [{ reaction: "🔥", count: 1 }] });
  await admin("POST /people/79990000002/messages", {
    to: "79990000001",
    text: "answer",
    reply_to: messageId,
  });
  const heard = await client.pushed(128);
  expect(heard).toMatchObject({ chatId, unread: 1, message: { text: "answer", link: { type: "REPLY" } } });
  const heardId = String(heard["message"]?.["id"]);
  const mark = Number(heard["message"]?.["time"]);
  expect(await client.ask(50, { chatId, messageId: heardId, type: "READ_MESSAGE", mark })).toMatchObject({
    unread: 0,
  });
  await client.ask(65, { chatId, type: "TEXT" });
  return messageId;
}

async function exchangeFiles(client: WebClient, admin: Admin, chatId: number): Promise<void> {
  const { info } = await client.ask(87, { count: 1, type: 0, uploaderType: 0, profile: false });
  const { url, fileId } = info?.[0] ?? {};
  const bytes = Buffer.from("%PDF-1.4 offer");
  const headers = {
    "Content-Disposition": "attachment; filename=offer.pdf",
    "Content-Range": `bytes 0-${bytes.length - 1}/${bytes.length}`,
  };
  expect((await fetch(String(url), { method: "POST", headers, body: bytes })).status).toBe(200);
  expect(await client.pushed(136)).toEqual({ fileId });
  const message = {
    cid: 1_766_000_000_001,
    text: "the offer",
    elements: [],
    attaches: [{ _type: "FILE", fileId }],
  };
  const sent = await client.ask(64, { chatId, message, notify: true });
  const messageId = String(sent["message"]?.["id"]);
  const file = await admin(`GET /people/79990000002/chats/79990000001/messages/${messageId}/file`);
  expect(Buffer.from(String(file["base64"]), "base64")).toEqual(bytes);

  await admin("POST /people/79990000002/messages", { to: "79990000001", kind: "video", text: "look" });
  const heard = await client.pushed(128);
  const { videoId } = heard["message"]?.["attaches"]?.[0] ?? {};
  const links = await client.ask(83, { chatId, messageId: String(heard["message"]?.["id"]), videoId });
  const address = Object.entries(links).find(([name]) => name.startsWith("MP4_"))?.[1];
  expect((await fetch(String(address))).headers.get("content-type")).toBe("video/mp4");
}
