import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readQr } from "../../sandbox/qr-reader.ts";
import type { OutboundFile } from "../../src/core/transport/connector.ts";
import type { MessageRef } from "../../src/core/transport/events.ts";
import { startForeignWhatsapp } from "../kit/foreign-whatsapp.ts";
import {
  type Account,
  type Hosts,
  hangAtMessage,
  hastySessions,
  linkAccount,
  never,
  openAccount,
  profileOf,
  scan,
  startWhatsappStand,
  type WhatsappStand,
} from "../kit/whatsapp.ts";

let stand: WhatsappStand;
let sessions: Hosts;
const open: Account[] = [];

beforeAll(async () => {
  stand = await startWhatsappStand();
  sessions = hastySessions();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ session }) => session.close()));
});
afterAll(async () => {
  await common?.session.close();
  await stand.close();
});

async function channel(
  ...options: Parameters<typeof openAccount> extends [unknown, unknown, ...infer R] ? R : never
) {
  const account = await openAccount(stand, sessions, ...options);
  open.push(account);
  return account;
}
async function linked(): Promise<Account> {
  const account = await linkAccount(stand, sessions);
  open.push(account);
  return account;
}

let common: Account | undefined;

/** A person shared by the tests that leave it linked; its events count from here. */
async function shared(): Promise<Account> {
  common ??= await linkAccount(stand, sessions);
  common.mark();
  return common;
}

interface Item {
  readonly problem: string | null;
  readonly message_id: string;
  readonly from: string;
  readonly chat: string;
  readonly kind: string;
  readonly text?: string;
  readonly [more: string]: unknown;
}

/** What a person received, as soon as there are that many entries. */
async function inbox(phone: string, count: number, query = ""): Promise<Item[]> {
  const list = await stand.admin<{ complete: boolean; items: Item[] }>(
    `GET /people/${phone}/inbox?count=${count}&timeout_ms=30000${query}`,
  );
  if (!list.complete) throw new Error(`only ${JSON.stringify(list)}`);
  return list.items;
}

/** As the service repeats a message whose outcome was not reported. */
function sendAgain(account: Account, to: string, text: string, id: string) {
  return vi.waitUntil(() => account.send(to, text, { id }).catch(() => null));
}

const refOf = (
  sent: { chatId: string; externalId: string },
  chatType: MessageRef["chatType"] = "whatsapp",
) => ({
  chatType,
  chatId: sent.chatId,
  externalId: sent.externalId,
});

describe("linking", () => {
  test("by QR code: qr, sync, active", async () => {
    const account = await channel();
    await scan(stand, account);
    expect(profileOf(await account.state("active"))).toMatchObject({
      messengerId: account.phone,
      phone: account.phone,
    });
    const states = account.link.events.flatMap((event) => (event.kind === "link" ? [event.state] : []));
    expect(states.map((state) => ("reason" in state ? state.reason : state.status))).toEqual([
      "qr",
      "sync",
      "active",
    ]);
  });

  test("by QR code after WhatsApp revoked its secret", async () => {
    const account = await channel();
    const first = await account.state("init", "qr");
    account.mark();
    await stand.admin("POST /refreshes", { qr: "qr" in first ? readQr(first.qr) : "" });
    await scan(stand, account);
    await account.state("active");
  });

  test("by pairing code", async () => {
    const account = await channel();
    await account.state("init", "qr");
    const { code, phone } =
      (await account.session.answer?.({ kind: "pairingCode", value: account.phone })) ?? {};
    expect([code, phone]).toEqual([expect.stringMatching(/^[1-9A-HJ-NP-TV-Z]{8}$/), account.phone]);
    await stand.admin(`POST /people/${account.phone}/codes`, { code });
    await account.state("active");
  });

  test.each([
    [400, "wrong"],
    [429, "too_often"],
    [500, "unavailable"],
  ])("WhatsApp's response %i to the request for a code is reported", async (errorCode, reason) => {
    const account = await channel();
    await account.state("init", "qr");
    await stand.admin("POST /faults", {
      xmlns: "md",
      what: "link_code_companion_reg",
      error_code: errorCode,
    });
    await expect(
      account.session.answer?.({ kind: "pairingCode", value: account.phone }),
    ).rejects.toMatchObject({ reason });
  });

  test("an active channel has no pairing code", async () => {
    const account = await linked();
    const asked = account.session.answer?.({ kind: "pairingCode", value: account.phone });
    await expect(asked).rejects.toMatchObject({ reason: "not_expected" });
  });

  test("an expired code is replaced, and after the last one the channel stops waiting", async () => {
    const account = await channel({ quickQr: true });
    await account.state("disabled", "qridle");
    const codes = account.link.events.flatMap((event) =>
      event.kind === "link" && event.state.status === "init" && event.state.reason === "qr"
        ? [event.state.qr]
        : [],
    );
    // The server offers six; on a slow machine one may expire before it is shown.
    expect(new Set(codes).size).toBe(codes.length);
    expect([2, 3, 4, 5, 6]).toContain(codes.length);
    expect(readQr(codes[0] ?? "")).toMatch(/^https:\/\/wa\.me\/settings\/linked_devices#2@/);
  });

  test.each(["account_signature", "hmac"])("a link with a forged %s is refused", async (forge) => {
    const account = await channel();
    const state = await account.state("init", "qr");
    const qr = "qr" in state ? readQr(state.qr) : "";
    const scanned = stand.admin(`POST /people/${account.phone}/scans`, { qr, forge, timeout_ms: 1_000 });
    await expect(scanned).rejects.toThrow();
    expect(account.link.events.some(({ kind }) => kind === "link" && profileOf(state) !== null)).toBe(false);
    // With new keys it can still be linked.
    account.mark();
    await scan(stand, account);
    await account.state("active");
  });

  test("the connection to a server with a forged root is refused, and the channel does not end", async () => {
    await stand.admin("POST /forgeries", { kind: "root", times: 1 });
    const account = await channel();
    await account.link.waitForLog(({ message }) => message.includes("a signature is invalid"));
    await scan(stand, account);
    await account.state("active");
    expect(
      account.link.events.some((event) => event.kind === "link" && event.state.status === "disabled"),
    ).toBe(false);
  });

  test("a phone other than the linked one is unlinked", async () => {
    const account = await linked();
    await account.session.logout?.();
    await account.session.close();
    await account.reopen();
    const other = await stand.addPerson("Other");
    await scan(stand, account, other);
    await account.state("disabled", "foreignphone");
    await vi.waitUntil(async () => {
      const { items } = await stand.admin<{ items: unknown[] }>(`GET /people/${other}/devices`);
      return items.length === 0;
    });
  });
});

describe("the end of a link", () => {
  test("unlinked on the phone", async () => {
    const account = await linked();
    await stand.admin(`DELETE /people/${account.phone}/devices/any`);
    await account.state("disabled", "unauthorized");
    expect((await account.link.vault.readAll("account")).size).toBe(0);
    await account.session.close();
    await account.reopen();
    await scan(stand, account);
    await account.state("active");
  });

  test("unlinked on the phone, although the store failed while the keys were deleted", async () => {
    const account = await linked();
    const { vault } = account.link;
    const { clear } = vault;
    vault.clear = async () => {
      vault.clear = clear;
      throw new Error("the database is away");
    };
    await stand.admin(`DELETE /people/${account.phone}/devices/any`);
    await account.state("disabled", "unauthorized");
    const left = await Promise.all(["account", "session", "pre-key"].map((family) => vault.readAll(family)));
    expect(left.map(({ size }) => size)).toEqual([0, 0, 0]);
  });

  test("unlinked while the channel was closed", async () => {
    const account = await linked();
    await account.session.close();
    await stand.admin(`DELETE /people/${account.phone}/devices/any`);
    await account.reopen();
    await account.state("disabled", "unauthorized");
  });

  test("another client connected with the same keys", async () => {
    const account = await linked();
    await stand.admin(`POST /people/${account.phone}/devices/any/replacements`);
    await account.state("disabled", "openelsewhere");
    expect((await account.link.vault.readAll("account")).size).toBe(1);
  });

  test("another client connected with the same keys before the link was complete", async () => {
    const account = await channel();
    const { vault } = account.link;
    const { readAll } = vault;
    const [reached, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vault.readAll = async (family) => {
      if (!family.startsWith("recent-")) return readAll(family);
      reached.resolve();
      await free.promise;
      return readAll(family);
    };
    await scan(stand, account);
    await reached.promise;
    await stand.admin(`POST /people/${account.phone}/devices/any/replacements`);
    await account.state("disabled", "openelsewhere");
    free.resolve();
    await account.session.close();
    expect(account.link.events.at(-1)).toMatchObject({ state: { reason: "openelsewhere" } });
    // As after any other end of this kind, the keys stay valid: whoever starts the channel again takes over.
    await account.reopen();
    await account.state("active");
  });

  test.each([403, 406])("banned (%i)", async (reason) => {
    const account = await linked();
    await stand.admin(`POST /people/${account.phone}/devices/any/errors`, { reason });
    await account.state("disabled", "unauthorized");
  });

  test("unlinked on the phone when the channel is deleted", async () => {
    const account = await linked();
    await account.session.logout?.();
    expect(await stand.admin(`GET /people/${account.phone}/devices`)).toEqual({ items: [] });
    expect((await account.link.vault.readAll("session")).size).toBe(0);
  });
});

describe("the connection", () => {
  test.each([
    ["drops", undefined],
    ["freezes", undefined],
    ["errors", { code: 503 }],
    ["errors", { code: 515 }],
    ["errors", { code: 500 }],
  ])("%s %j: it is renewed automatically", async (what, body) => {
    const account = await linked();
    const ann = await stand.addPerson();
    account.mark();
    await stand.admin(`POST /people/${account.phone}/devices/any/${what}`, body ?? {});
    await account.state("active");
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "still there?" });
    expect((await account.message()).body).toEqual({ type: "text", text: "still there?" });
    expect(
      account.link.events.some((event) => event.kind === "link" && event.state.status === "disabled"),
    ).toBe(false);
  });

  test("logins that WhatsApp answers with 500 for a while are repeated with the same keys", async () => {
    const account = await linked();
    account.mark();
    const fault = { phone: account.phone, login: true, error_code: 500, times: 3 };
    await stand.admin("POST /faults", fault);
    await stand.admin(`POST /people/${account.phone}/devices/any/drops`);
    await account.state("active");
    const states = account.events().flatMap((event) => (event.kind === "link" ? [event.state.status] : []));
    expect([...new Set(states)]).toEqual(["lost", "active"]);
    expect((await account.link.vault.readAll("account")).size).toBe(1);
  });

  test("while the store is unavailable, states and messages wait for it", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    account.link.onEmit(() => Promise.reject(new Error("the database is away")));
    await stand.admin(`POST /people/${account.phone}/devices/any/drops`);
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "patience" });
    const online = async () =>
      (await stand.admin<{ online: boolean }>(`GET /people/${account.phone}/devices/any`)).online;
    await vi.waitUntil(online);
    account.mark();
    account.link.onEmit(null);
    await account.state("active");
    await account.message(({ body }) => body.type === "text" && body.text === "patience");
  });

  test("the channel becomes active and sends, although the store failed while it deleted old messages", async () => {
    const account = await channel();
    const { vault } = account.link;
    const { readAll } = vault;
    let refused = 0;
    vault.readAll = async (family) => {
      if (family.startsWith("recent-") && ++refused === 1) throw new Error("the database is away");
      return readAll(family);
    };
    await scan(stand, account);
    await account.state("active");
    const ann = await stand.addPerson();
    await account.send(ann, "hello");
    expect(await inbox(ann, 1)).toMatchObject([{ text: "hello" }]);
    expect(refused).toBeGreaterThan(0);
  });

  test("messages sent meanwhile arrive afterwards, once and in order", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    await account.session.close();
    for (const text of ["one", "two", "three"])
      await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text });
    await account.reopen();
    await account.message(({ body }) => body.type === "text" && body.text === "three");
    const texts = account.link.events.flatMap((event) =>
      event.kind === "message" && event.message.body.type === "text" ? [event.message.body.text] : [],
    );
    expect(texts).toEqual(["one", "two", "three"]);
  });

  test("dropped during a send: repeated under the same id, the message arrives once", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    await account.send(ann, "first");
    await stand.admin(`POST /people/${account.phone}/behaviour`, { acks: "held" });
    const id = "11111111-1111-4111-8111-111111111111";
    const sending = account.send(ann, "second", { id });
    sending.catch(() => undefined);
    await inbox(ann, 2);
    account.mark();
    await stand.admin(`POST /people/${account.phone}/devices/any/drops`);
    await expect(sending).rejects.toMatchObject({ retry: "unknown" });
    await stand.admin(`POST /people/${account.phone}/behaviour`, { acks: "auto" });
    await account.state("active");
    const repeated = await account.send(ann, "second", { id });
    const messages = await stand.admin<{ items: { message_id: string }[] }>(
      `GET /people/${ann}/chats/${account.phone}/messages`,
    );
    expect(messages.items.filter(({ message_id }) => message_id === repeated.externalId)).toHaveLength(1);
  });
});

describe("a worker that dies", () => {
  test("between decrypting and storing: the message is not lost", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    const hung = hangAtMessage(account);
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "precious" });
    await hung;
    // Events of the link may still be in transit.
    await vi.waitUntil(async () => (await account.link.vault.readAll("inbox")).size === 1);
    account.link.onEmit(null);
    for (const { pid } of sessions.usage()) process.kill(pid, "SIGKILL");
    const message = await account.message(({ body }) => body.type === "text" && body.text === "precious");
    expect(message).toMatchObject({ chatId: ann, contact: { name: "Ann" } });
    await account.state("active");
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "and more" });
    await account.message(({ body }) => body.type === "text" && body.text === "and more");
    await vi.waitUntil(async () => (await account.link.vault.readAll("inbox")).size === 0);
  });

  test("during a send: repeated, the message arrives once", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    await stand.admin(`POST /people/${account.phone}/behaviour`, { acks: "held" });
    const id = "22222222-2222-4222-8222-222222222222";
    const sending = account.send(ann, "once", { id });
    sending.catch(() => undefined);
    await inbox(ann, 1);
    account.mark();
    for (const { pid } of sessions.usage()) process.kill(pid, "SIGKILL");
    await expect(sending).rejects.toMatchObject({ retry: "unknown" });
    // Output of a library, which may contain keys, has not left the process.
    const ended = await account.link.waitForLog(({ message }) =>
      message.includes("process of this session ended"),
    );
    expect(ended.details).toEqual({ last: "" });
    await stand.admin(`POST /people/${account.phone}/behaviour`, { acks: "auto" });
    await account.state("active");
    await account.send(ann, "once", { id });
    await account.send(ann, "twice");
    const { items } = await stand.admin<{ items: { text: string }[] }>(
      `GET /people/${ann}/chats/${account.phone}/messages`,
    );
    expect(items.map(({ text }) => text)).toEqual(["once", "twice"]);
  });
});

describe("receiving", () => {
  const kinds: readonly (readonly [string, object, object])[] = [
    ["text", { text: "hi" }, { type: "text", text: "hi" }],
    [
      "image",
      { caption: "look" },
      { type: "media", media: "image", text: "look", file: { mimeType: "image/jpeg" } },
    ],
    ["video", {}, { type: "media", media: "video" }],
    ["video_note", {}, { type: "media", media: "video" }],
    ["audio", {}, { type: "media", media: "audio" }],
    ["voice", {}, { type: "media", media: "audio", file: { mimeType: "audio/ogg; codecs=opus" } }],
    [
      "document",
      { caption: "sign" },
      { type: "media", media: "document", text: "sign", file: { name: "document.pdf" } },
    ],
    ["sticker", {}, { type: "media", media: "image", file: { name: "sticker.was" } }],
    [
      "lottie_sticker",
      {},
      { type: "media", media: "image", file: { name: "sticker.was", mimeType: "application/was" } },
    ],
    ["contact", {}, { type: "vcard", vcard: expect.stringContaining("BEGIN:VCARD") }],
    ["location", { title: "Office" }, { type: "geo", text: "Office" }],
    ["poll", { question: "Lunch?", options: ["Yes", "No"] }, { type: "text", text: "Lunch?\n• Yes\n• No" }],
    ["view_once", {}, { type: "unsupported" }],
  ];
  test("each kind", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    for (const [kind, more, expected] of kinds) {
      account.mark();
      await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, kind, ...more });
      const { body, chatId, direction, contact } = await account.message().catch((error: unknown) => {
        throw new Error(`${kind}: ${String(error)}`);
      });
      expect(body, kind).toMatchObject(expected);
      expect({ chatId, direction, contact }, kind).toEqual({
        chatId: ann,
        direction: "in",
        contact: {
          name: "Ann",
          phone: ann,
          avatar: { token: `picture:${ann}@s.whatsapp.net`, mimeType: "image/jpeg" },
        },
      });
    }
  });

  test("a file can be opened, also later; a deleted file is reported as missing", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const bytes = Buffer.alloc(200_000, 5);
    const file = { base64: bytes.toString("base64"), name: "a.pdf" };
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, kind: "document", file });
    const { body } = await account.message();
    if (body.type !== "media") throw new Error("no file");
    const opened = await account.session.openFile?.(body.file, never);
    expect(opened).toMatchObject({ name: "a.pdf", mimeType: "application/pdf", size: bytes.length });
    expect(await buffer(opened?.stream ?? Readable.from([]))).toEqual(bytes);
    const token = body.file.token.replace(/"path":"[^"]*"/, '"path":"/v/gone"');
    await expect(account.session.openFile?.({ token }, never)).rejects.toMatchObject({ retry: "never" });
  });

  /** A file of a person, whose next download is interrupted. */
  async function openInterrupted(account: Account, download: "drop" | "silence"): Promise<Readable> {
    const ann = await stand.addPerson();
    const file = { base64: Buffer.alloc(200_000, 5).toString("base64") };
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, kind: "document", file });
    const { body } = await account.message();
    if (body.type !== "media") throw new Error("no file");
    await stand.admin("POST /faults", { download });
    const opened = await account.session.openFile?.(body.file, never);
    if (opened === undefined) throw new Error("no file");
    return opened.stream;
  }

  test("a download that breaks off fails, and the process of the session continues", async () => {
    const account = await shared();
    const pids = () => sessions.usage().map(({ pid }) => pid);
    const before = pids();
    const stream = await openInterrupted(account, "drop");
    await expect(buffer(stream)).rejects.toThrow();
    const bob = await stand.addPerson("Bob");
    await stand.admin(`POST /people/${bob}/messages`, { to: account.phone, text: "still there?" });
    await account.message(({ chatId }) => chatId === bob);
    expect(pids()).toEqual(before);
  });

  test("a download that is given up ends at WhatsApp too", async () => {
    const stream = await openInterrupted(await shared(), "silence");
    stream.destroy();
    const ends = "GET /events?event=abandoned&count=1&timeout_ms=10000";
    expect(await stand.admin(ends)).toMatchObject({ complete: true });
  });

  test("replies, edits and deletions", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const sent = await account.send(ann, "is it on?");
    await inbox(ann, 1);
    const answer = { to: account.phone, text: "yes", reply_to: sent.externalId };
    await stand.admin(`POST /people/${ann}/messages`, answer);
    const { quoted, externalId } = await account.message();
    expect(quoted).toEqual({ externalId: sent.externalId, body: { type: "text", text: "is it on?" } });
    await stand.admin(`POST /people/${ann}/edits`, { message_id: externalId, text: "no" });
    const edited = await account.wait("edited");
    expect([edited.ref, edited.body]).toEqual([
      refOf({ chatId: ann, externalId }),
      { type: "text", text: "no" },
    ]);
    await stand.admin(`POST /people/${ann}/deletions`, { message_id: externalId });
    expect((await account.wait("deleted")).ref).toEqual(refOf({ chatId: ann, externalId }));
  });

  test.each(["pn", "lid"])("through a broadcast list of the author's, by %s", async (addressing) => {
    const account = await shared();
    const ann = await stand.addPerson();
    const write = (text: string, more: object) =>
      stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text, addressing, ...more });
    await write("to all", { list: "1700000000" });
    const { externalId, ...told } = await account.message();
    expect(told).toMatchObject({ chatId: ann, direction: "in", contact: { name: "Ann", phone: ann } });
    account.mark();
    await write("once more", { list: "1700000000", corrupt: true });
    expect((await account.message()).body).toEqual({ type: "text", text: "once more" });
    await account.send(ann, "a reply", { quoted: refOf({ chatId: ann, externalId }) });
    expect(await inbox(ann, 1)).toMatchObject([{ quoted_id: externalId }]);
  });

  test.each([
    ["by number", {}],
    ["by hidden id", { addressing: "lid" }],
    ["as it was before edits were sealed", { plain: true }],
  ])("an edit, %s, also of a message written just before", async (_, more) => {
    const account = await shared();
    const ann = await stand.addPerson();
    const body = { to: account.phone, text: "typo" };
    const { message_id } = await stand.admin<{ message_id: string }>(`POST /people/${ann}/messages`, body);
    await stand.admin(`POST /people/${ann}/edits`, { message_id, text: "no typo", ...more });
    const edited = await account.wait("edited");
    expect(edited).toMatchObject({ ref: { chatId: ann, externalId: message_id }, body: { text: "no typo" } });
    expect(account.events().filter(({ kind }) => kind === "message")).toHaveLength(1);
  });

  test("in a chat whose messages disappear, replies disappear too, until the setting changes", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const write = (message: object) =>
      stand.admin(`POST /people/${ann}/messages`, { to: account.phone, kind: "proto", message });
    const replied = async (text: string, count: number): Promise<unknown> => {
      await account.send(ann, text);
      return (await inbox(ann, count)).at(-1);
    };
    const contextInfo = { expiration: 604_800 };
    await write({ extendedTextMessage: { text: "gone in a week", contextInfo } });
    await account.message(({ body }) => body.type === "text" && body.text === "gone in a week");
    expect(JSON.stringify(await replied("one", 1))).toContain('"expiration":604800');
    await write({ conversation: "stays" });
    await account.message(({ body }) => body.type === "text" && body.text === "stays");
    expect(JSON.stringify(await replied("two", 2))).not.toContain("expiration");
  });

  test("other people cannot change the account's messages", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const { externalId: id } = await account.send(ann, "the price is 100");
    const write = (body: object) =>
      stand.admin(`POST /people/${ann}/messages`, { to: account.phone, ...body });
    for (const protocolMessage of [{ type: 14, editedMessage: { conversation: "it is 10" } }, { type: 0 }]) {
      const message = { protocolMessage: { ...protocolMessage, key: { id, fromMe: true } } };
      await write({ kind: "proto", message });
    }
    await write({ text: "after" });
    await account.message(({ body }) => body.type === "text" && body.text === "after");
    expect(account.events().filter(({ kind }) => kind === "edited" || kind === "deleted")).toEqual([]);
  });

  test("an edit, with a caption, of a message received by an earlier process", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, kind: "image", caption: "typo" });
    const { externalId } = await account.message();
    await vi.waitUntil(async () => (await account.link.vault.readAll("inbox")).size === 0);
    await account.session.close();
    await account.reopen();
    await account.state("active");
    await stand.admin(`POST /people/${ann}/edits`, { message_id: externalId, text: "no typo" });
    expect((await account.wait("edited")).body).toMatchObject({ type: "media", text: "no typo" });
  });

  test("reactions are not messages", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const sent = await account.send(ann, "hi");
    await inbox(ann, 1);
    await stand.admin(`POST /people/${ann}/reactions`, { message_id: sent.externalId });
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "after" });
    await account.message(({ body }) => body.type === "text" && body.text === "after");
    expect(account.events().filter(({ kind }) => kind === "message")).toHaveLength(1);
  });

  test("a repeated message causes the same event", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const { message_id: id } = await stand.admin<{ message_id: string }>(`POST /people/${ann}/messages`, {
      to: account.phone,
      text: "hi",
    });
    await account.message();
    account.mark();
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "hi", message_id: id });
    expect((await account.message()).externalId).toBe(id);
  });

  test("a message that cannot be decrypted is requested again, and reported as missing if it never arrives", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "again", corrupt: true });
    expect((await account.message()).body).toEqual({ type: "text", text: "again" });
    account.mark();
    const lost = { to: account.phone, text: "never", corrupt: true, repeatable: false };
    await stand.admin(`POST /people/${ann}/messages`, lost);
    expect((await account.message()).body).toMatchObject({ type: "unsupported", isAwaited: true });
  });

  test("a message that can be decrypted only after it was reported as missing is reported under the same id", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const write = (more: object) =>
      stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "late", ...more });
    await write({ corrupt: true, repeatable: false });
    const { externalId, body } = await account.message();
    expect(body).toMatchObject({ type: "unsupported", isAwaited: true });
    account.mark();
    await write({ message_id: externalId });
    expect(await account.message()).toMatchObject({ externalId, body: { type: "text", text: "late" } });
  });

  test("written on the phone: an echo, its edit and its deletion", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const { message_id: id } = await stand.admin<{ message_id: string }>(
      `POST /people/${account.phone}/messages`,
      { to: ann, text: "from my phone" },
    );
    expect(await account.message()).toMatchObject({
      direction: "echo",
      chatId: ann,
      externalId: id,
      body: { type: "text", text: "from my phone" },
    });
    await stand.admin(`POST /people/${account.phone}/edits`, { message_id: id, text: "better" });
    expect((await account.wait("edited")).ref).toEqual(refOf({ chatId: ann, externalId: id }));
    await stand.admin(`POST /people/${account.phone}/deletions`, { message_id: id });
    expect((await account.wait("deleted")).ref).toEqual(refOf({ chatId: ann, externalId: id }));
  });

  test.each(["timeout", "terminate", "reject"])("a missed call (%s)", async (reason) => {
    const account = await shared();
    const ann = await stand.addPerson();
    const call = await stand.admin<{ call_id: string }>(`POST /people/${ann}/calls`, { to: account.phone });
    await stand.admin(`POST /people/${ann}/calls/${call.call_id}/ends`, { to: account.phone, reason });
    const message = await account.message();
    expect(message).toMatchObject({ chatId: ann, externalId: call.call_id, body: { type: "missing_call" } });
  });

  test("a call that is answered on the phone is not reported", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const call = await stand.admin<{ call_id: string }>(`POST /people/${ann}/calls`, { to: account.phone });
    const end = (reason: string) =>
      stand.admin(`POST /people/${ann}/calls/${call.call_id}/ends`, { to: account.phone, reason });
    await end("accept");
    await end("terminate");
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "after" });
    await account.message(({ body }) => body.type === "text");
    expect(account.events().filter(({ kind }) => kind === "message")).toHaveLength(1);
  });
});

describe("hidden numbers", () => {
  test("a number and a hidden id are one chat", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "by number" });
    await account.message(({ body }) => body.type === "text" && body.text === "by number");
    await stand.admin(`POST /people/${ann}/messages`, {
      to: account.phone,
      text: "hidden",
      addressing: "lid",
    });
    const hidden = await account.message(({ body }) => body.type === "text" && body.text === "hidden");
    expect(hidden.chatId).toBe(ann);
  });

  test("a chat known only by its hidden id moves when the number becomes known", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const write = (text: string, addressing: string) =>
      stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text, addressing });
    await write("who am I", "lid_only");
    const { chatId, contact } = await account.message();
    expect(chatId).toMatch(/^[0-9]+@lid$/);
    expect(contact.phone).toBeUndefined();
    const answer = await account.send(chatId, "hello stranger");
    const [item] = await inbox(ann, 1, `&message_id=${answer.externalId}`);
    expect(item).toMatchObject({ text: "hello stranger", problem: null });
    await write("this is my number", "lid");
    expect(await account.wait("moved")).toMatchObject({ chatId, newChatId: ann });
    const known = await account.message(({ body }) => body.type === "text" && body.text.startsWith("this"));
    expect(known.chatId).toBe(ann);
  });
});

const fileOf = (name: string, mimeType: string, bytes: Buffer, kind: OutboundFile["kind"]): OutboundFile => ({
  url: "https://files.example/x",
  urlIsPublic: false,
  urlMimeType: mimeType,
  name,
  mimeType,
  kind,
  size: bytes.length,
  open: () => Readable.from([bytes]),
});
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("sending", () => {
  test("a text, with its receipts", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    await stand.admin(`POST /people/${ann}/behaviour`, { deliveries: "held", reads: "held" });
    const sent = await account.send(ann, "hello");
    expect(sent).toMatchObject({ chatId: ann, externalId: expect.stringMatching(/^3EB0[0-9A-F]{18}$/) });
    expect(await inbox(ann, 1)).toMatchObject([{ message_id: sent.externalId, kind: "text", text: "hello" }]);
    await stand.admin(`POST /people/${ann}/deliveries`, {});
    expect(await account.wait("receipt")).toMatchObject({
      ref: { ...refOf(sent), messageId: expect.any(String) },
      status: "delivered",
    });
    await stand.admin(`POST /people/${ann}/reads`, {});
    await account.wait("receipt", ({ status }) => status === "read");
  });

  const files: readonly (readonly [string, string, OutboundFile["kind"], string, Buffer])[] = [
    ["a.png", "image/png", "image", "image", PNG],
    ["a.mp4", "video/mp4", "video", "video", Buffer.alloc(5_000, 1)],
    ["a.mp3", "audio/mpeg", "audio", "audio", Buffer.alloc(5_000, 2)],
    ["a.ogg", "audio/ogg", "audio", "voice", Buffer.alloc(5_000, 3)],
    ["offer.pdf", "application/pdf", "document", "document", Buffer.alloc(900_000, 4)],
    ["a.webp", "image/webp", "image", "document", Buffer.alloc(100, 5)],
    ["wave.was", "image/webp", "image", "sticker", Buffer.alloc(100, 6)],
  ];
  test("files of every kind", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    for (const [index, [name, mimeType, kind, shown, bytes]] of files.entries()) {
      const sent = await account.send(ann, { type: "file", file: fileOf(name, mimeType, bytes, kind) });
      const item = (await inbox(ann, index + 1)).at(-1);
      expect(item, name).toMatchObject({ message_id: sent.externalId, kind: shown });
      const got = await stand.admin<{ base64: string }>(
        `GET /people/${ann}/chats/${account.phone}/messages/${sent.externalId}/file`,
      );
      expect(Buffer.from(got.base64, "base64").equals(bytes), name).toBe(true);
    }
  });

  test("a reply shows the quoted message", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "how much?" });
    const { externalId } = await account.message();
    await account.send(ann, "ten", { quoted: refOf({ chatId: ann, externalId }) });
    const [item] = await inbox(ann, 1);
    expect(JSON.stringify(item)).toContain(externalId);
  });

  test("edits and deletions, once each however often they are requested", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const sent = await account.send(ann, "helo");
    await account.session.edit?.(refOf(sent), { text: "hello" }, never);
    await account.session.edit?.(refOf(sent), { text: "hello" }, never);
    const list = async () =>
      (
        await stand.admin<{ items: { text?: string; deleted: boolean }[] }>(
          `GET /people/${ann}/chats/${account.phone}/messages`,
        )
      ).items;
    await vi.waitUntil(async () => (await list())[0]?.text === "hello");
    await account.session.remove?.(refOf(sent), never);
    await account.session.remove?.(refOf(sent), never);
    await vi.waitUntil(async () => (await list())[0]?.deleted === true);
    expect(await list()).toHaveLength(1);
  });

  test("a phone requests a message again", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const sent = await account.send(ann, "hello");
    await inbox(ann, 1);
    await stand.admin(`POST /people/${ann}/retries`, { message_id: sent.externalId });
    const again = await inbox(ann, 2);
    expect(again[1]).toMatchObject({ message_id: sent.externalId, text: "hello" });
  });

  test("a phone requests a message as often as phones do, and gets it each time", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    const { externalId: id } = await account.send(ann, "hello");
    await inbox(ann, 1);
    for (let count = 1; count <= 5; count++) {
      await stand.admin(`POST /people/${ann}/retries`, { message_id: id, count });
      expect((await inbox(ann, count + 1)).at(-1)).toMatchObject({ message_id: id, text: "hello" });
    }
  });

  test("a phone requests a message while the store is unavailable for a moment", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    const sent = await account.send(ann, "hello");
    await inbox(ann, 1);
    await account.session.close();
    const { vault } = account.link;
    const read = vault.read.bind(vault);
    let refused = 0;
    vi.spyOn(vault, "read").mockImplementation(async (family, ids) => {
      if (family.startsWith("recent-") && ++refused === 1) throw new Error("the store is unavailable");
      return read(family, ids);
    });
    await account.reopen();
    await account.state("active");
    await stand.admin(`POST /people/${ann}/retries`, { message_id: sent.externalId });
    expect((await inbox(ann, 2))[1]).toMatchObject({ message_id: sent.externalId, text: "hello" });
    expect(refused).toBeGreaterThan(1);
  });

  test.each(["the line was lost", "the channel was closed"])(
    "a phone requests a message again, while %s, and another that it had no keys for",
    async (what) => {
      const account = await linked();
      const ann = await stand.addPerson();
      const sent = await sendAgain(account, ann, "hello", randomUUID());
      await inbox(ann, 1);
      account.mark();
      const line = `/people/${account.phone}/devices/any`;
      if (what === "the line was lost") await stand.admin(`POST ${line}/drops`);
      else await account.session.close();
      await stand.admin(`POST /people/${ann}/retries`, { message_id: sent.externalId });
      if (what === "the channel was closed") await account.reopen();
      expect((await inbox(ann, 2))[1]).toMatchObject({ message_id: sent.externalId, text: "hello" });
      await account.state("active");
      await stand.admin(`POST /people/${ann}/forgets`);
      const second = await sendAgain(account, ann, "still there?", randomUUID());
      const [last] = await inbox(ann, 1, `&message_id=${second.externalId}&kind=text`);
      expect(last?.text).toBe("still there?");
    },
  );

  test("a message is not sent to the account's own phone alone: WhatsApp must list the contact's devices", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "hi" });
    await account.message();
    await stand.admin("POST /faults", { phone: account.phone, xmlns: "usync" });
    await expect(account.send(ann, "hello")).rejects.toMatchObject({ retry: "later" });
    const sent = await sendAgain(account, ann, "hello", randomUUID());
    expect(await inbox(ann, 1)).toMatchObject([{ message_id: sent.externalId, text: "hello" }]);
  });

  test("a message counts as sent only if a phone can request it again", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    const { vault } = account.link;
    const write = vault.write.bind(vault);
    let refused = 0;
    vi.spyOn(vault, "write").mockImplementation(async (entries) => {
      if (entries.some(({ family }) => family.startsWith("recent-")) && ++refused === 1)
        throw new Error("the store is unavailable");
      return write(entries);
    });
    const id = randomUUID();
    await expect(account.send(ann, "hello", { id })).rejects.toMatchObject({ retry: "unknown" });
    const sent = await sendAgain(account, ann, "hello", id);
    expect((await inbox(ann, 2)).map(({ message_id: each }) => each)).toEqual(Array(2).fill(sent.externalId));
    const chat = await stand.admin<{ items: unknown[] }>(
      `GET /people/${ann}/chats/${account.phone}/messages`,
    );
    expect(chat.items).toHaveLength(1);
  });

  test("in groups, whose names and members are known", async () => {
    const account = await shared();
    const [ann, bob] = [await stand.addPerson("Ann"), await stand.addPerson("Bob")];
    const { id } = await stand.admin<{ id: string }>("POST /groups", {
      subject: "Team",
      participants: [account.phone, ann, bob],
    });
    const chatId = id.replace("@g.us", "");
    const sent = await account.send(chatId, "hello all");
    expect(sent.chatId).toBe(chatId);
    await Promise.all([inbox(ann, 1), inbox(bob, 1)]);
    await stand.admin(`POST /people/${bob}/messages`, { to: id, text: "hello from Bob" });
    expect(await account.message(({ body }) => body.type === "text")).toMatchObject({
      chatType: "whatsgroup",
      chatId,
      contact: { name: "Team" },
      sender: { id: bob, name: "Bob" },
    });
    await stand.admin(`POST /people/${bob}/reads`, {});
    await account.wait("receipt", ({ ref, status }) => ref.chatType === "whatsgroup" && status === "read");
  });

  test("another address of the same number is found, and the chat continues under it", async () => {
    const account = await shared();
    await stand.admin("POST /people", { phone: "5511987654321", name: "Ana", aliases: ["551187654321"] });
    const found = await account.send("551187654321", "oi");
    expect(found.chatId).toBe("5511987654321");
    expect(await account.wait("moved")).toMatchObject({ chatId: "551187654321", newChatId: "5511987654321" });
  });
});

describe("refusals", () => {
  const faults: readonly (readonly [number, object])[] = [
    [463, { code: "SPAM", retry: "never", cooldown: { until: expect.any(Date) } }],
    [404, { code: "BAD_CONTACT", retry: "never" }],
    [429, { code: "TOO_MANY_EXT_REQS", retry: { afterMs: 300_000, scope: "channel" } }],
    [500, { code: "GENERAL_ERROR", retry: "never" }],
  ];
  test("of the server", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    for (const [errorCode, expected] of faults) {
      await stand.admin("POST /faults", { phone: account.phone, to: ann, error_code: errorCode });
      await expect(account.send(ann, "hello"), String(errorCode)).rejects.toMatchObject(expected);
    }
    // An outdated list of devices is requested again, once.
    await stand.admin("POST /faults", { phone: account.phone, to: ann, error_code: 479 });
    await account.send(ann, "hello");
  });

  test("of a group that the account is not in", async () => {
    const account = await shared();
    const others = await Promise.all([stand.addPerson("Ann"), stand.addPerson("Bob")]);
    const { id } = await stand.admin<{ id: string }>("POST /groups", {
      subject: "Theirs",
      participants: others,
    });
    for (const group of [id.replace("@g.us", ""), "120363999999999999"])
      await expect(account.send(group, "hi")).rejects.toMatchObject({ code: "BAD_CONTACT", retry: "never" });
  });

  test("of a number without an account, which is queried once", async () => {
    const account = await shared();
    const asked = async () =>
      (await stand.admin<{ count: number }>(`GET /iqs?phone=${account.phone}&xmlns=usync`)).count;
    const before = await asked();
    for (const _ of [1, 2])
      await expect(account.send("70000000000", "hi")).rejects.toMatchObject({
        code: "BAD_CONTACT",
        retry: "never",
      });
    expect((await asked()) - before).toBe(1);
    await expect(account.send("not a number", "hi")).rejects.toMatchObject({ code: "BAD_CONTACT" });
  });

  test("of contacts whose keys are forged", async () => {
    const account = await shared();
    const ann = await stand.addPerson();
    await stand.admin("POST /forgeries", { kind: "bundle", phone: ann, times: 2 });
    await expect(account.send(ann, "secret")).rejects.toMatchObject({
      code: "GENERAL_ERROR",
      retry: "never",
    });
    expect((await stand.admin<{ count: number }>(`GET /people/${ann}/inbox`)).count).toBe(0);
    await account.send(ann, "now it is you");
  });
});

test("another server, which has no routing and responds to no query, is used after one login", async () => {
  const { link, session } = await linked();
  await session.close();
  const foreign = await startForeignWhatsapp();
  onTestFinished(() => foreign.close());
  const settings = { wsUrl: foreign.url, ca: "", rootKey: foreign.rootKey };
  const from = link.events.length;
  const moved = await sessions.open({ ...link, channelId: `${link.channelId}-foreign`, settings });
  onTestFinished(() => moved.close());
  await vi.waitUntil(
    () => link.events.slice(from).some((event) => event.kind === "link" && event.state.status === "active"),
    { timeout: 60_000 },
  );
  const message = { id: randomUUID(), content: { type: "text", text: "hi" } } as const;
  const sending = moved.send({ ...message, to: { chatType: "whatsapp", chatId: "79990009999" } }, never);
  await expect(sending).rejects.toMatchObject({ code: "BAD_CONTACT" });
  expect(foreign.log.slice(0, 3)).toEqual(["connection", "login", "encrypt count"]);
  // Without a response, each query of the login takes until its timeout.
  expect(foreign.log.indexOf("usync usync")).toBeGreaterThan(0);
  expect(foreign.log).not.toContain("encrypt digest");
  expect(foreign.log.filter((each) => each === "login")).toHaveLength(1);
});

test("a person's picture can be opened; a person without one costs one attempt", async () => {
  const account = await linked();
  const ann = await stand.addPerson();
  await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, text: "look" });
  const { contact } = await account.message(({ body }) => body.type === "text" && body.text === "look");
  const avatar = contact.avatar ?? { token: "" };
  const never = new AbortController().signal;
  await expect(account.session.openFile?.(avatar, never)).rejects.toMatchObject({ retry: "never" });
  const bytes = Buffer.from("a picture of Ann");
  await stand.admin(`POST /people/${ann}/photos`, { base64: bytes.toString("base64") });
  const opened = await account.session.openFile?.(avatar, never);
  expect(opened).toMatchObject({ mimeType: "image/jpeg" });
  expect(await buffer(opened?.stream ?? Readable.from([]))).toEqual(bytes);
});
