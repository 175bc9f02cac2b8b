import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { sampleFile } from "../../../sandbox/sample-file.ts";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import type { MediaKind } from "../../core/transport/definition.ts";
import type { LinkState } from "../../core/transport/events.ts";
import {
  ANN,
  addPeople,
  admin,
  ann,
  annWrites,
  EVE,
  inboundMessage,
  isState,
  type Json,
  type Link,
  linkShop,
  messagesIn,
  newLink,
  open,
  openWorld,
  person,
  SHOP,
  scan,
  shop,
  states,
  useMax,
} from "./e2e-test-kit.ts";
import { openSession } from "./session.ts";
import { FAST } from "./testing.ts";
import { OP } from "./wire/opcodes.ts";

/** Tests the connector against the MAX emulator. The two were written independently of each other. */

const never = new AbortController().signal;
useMax();

const message = (id: string, chatId: string, text: string): OutboundMessage => ({
  id,
  to: { chatType: "max", chatId },
  content: { type: "text", text },
});

function file(mimeType: string, kind: MediaKind): OutboundFile {
  const bytes = sampleFile(mimeType, undefined);
  return {
    ...{ url: "https://files.example/x", urlIsPublic: true, urlMimeType: mimeType, mimeType, kind },
    name: `файл.${mimeType.split("/")[1]}`,
    size: bytes.length,
    open: () => Readable.from([bytes]),
  };
}

interface Shown extends Json {
  readonly message_id: string;
  readonly text: string;
  readonly attaches: readonly Json[];
  readonly status: string | null;
}
const conversation = async (): Promise<readonly Shown[]> =>
  (await admin<{ items: Shown[] }>("GET", `/people/${ANN}/chats/${SHOP}/messages`)).items;

describe("linking", () => {
  test("refreshes QR codes, asks for a password with its hint, and stores the token", async () => {
    await addPeople({ password: "right", hint: "first pet" });
    await admin("POST", "/people", { phone: SHOP, password: "right", hint: "first pet" });
    await person(SHOP)("passwords", { password: "right", hint: "first pet" });
    await admin("POST", "/settings", { qr_ttl_ms: 60 });
    const link = newLink();
    const state = states(link);
    const session = await open(link);
    const first = await state({ reason: "qr" });
    const second = await state({ reason: "qr" });
    expect(second).not.toEqual(first);
    await admin("POST", "/settings", { qr_ttl_ms: 60_000 });
    await state({ reason: "qr" });
    // The last code with the short lifetime may have been taken for the new one.
    await vi.waitFor(() => scan(SHOP, lastQr(link)), { timeout: 10_000 });
    expect(await state({ reason: "wait_for_password" })).toMatchObject({ hint: "first pet" });
    await expect(session.answer({ kind: "password", value: "no" })).rejects.toMatchObject({
      reason: "wrong",
      message: expect.stringContaining("first pet"),
    });
    await session.answer({ kind: "password", value: "right" });
    await state({ reason: "sync" });
    expect(await state({ status: "active" })).toMatchObject({ profile: { name: "Shop", phone: SHOP } });
    await session.close();
    await open(link);
    await state({ status: "active" });
    const { items } = await admin<{ items: Json[] }>("GET", `/people/${SHOP}/sessions`);
    expect(items).toHaveLength(1);
    expect(JSON.stringify(link.logs)).not.toContain("right");
  });

  test("returns to a QR code after too many wrong passwords", async () => {
    await addPeople();
    await person(SHOP)("passwords", { password: "right" });
    const link = newLink();
    const state = states(link);
    const session = await open(link);
    await scan(SHOP, await state({ reason: "qr" }));
    await state({ reason: "wait_for_password" });
    const reasons: unknown[] = [];
    for (let tries = 0; tries < 5; tries++)
      await session.answer({ kind: "password", value: "no" }).catch((error) => reasons.push(error.reason));
    expect(reasons).toEqual(["wrong", "wrong", "wrong", "wrong", "too_often"]);
    await state({ reason: "qr" });
  });

  test.each([
    ["nobody scans", { ...FAST, qrIdleMs: 100 }, false],
    ["nobody enters the password", { ...FAST, passwordMs: 50 }, true],
  ])("stops when %s", async (_, timing, isScanned) => {
    await addPeople();
    if (isScanned) await person(SHOP)("passwords", { password: "right" });
    const link = newLink();
    const state = states(link);
    await open(link, timing);
    const qr = await state({ reason: "qr" });
    if (isScanned) await scan(SHOP, qr);
    await state({ status: "disabled", reason: "qridle" });
  });

  test("logs out another account immediately", async () => {
    const { link, state, session } = await openWorld();
    await admin("DELETE", `/people/${SHOP}/sessions/any`);
    await state({ status: "disabled", reason: "unauthorized" });
    await session.close();
    await open(link);
    await scan(EVE, await state({ reason: "qr" }));
    await state({ status: "disabled", reason: "foreignphone" });
    expect((await admin<{ items: Json[] }>("GET", `/people/${EVE}/sessions`)).items).toEqual([]);
  });
});

function lastQr(link: Link): LinkState {
  const last = link.events.findLast((event) => isState(event, { reason: "qr" }));
  if (last?.kind !== "link") throw new Error("no code yet");
  return last.state;
}

describe.each(["binary", "json"])("in %s frames", (codec) => {
  test("sends everything a person can send", async () => {
    const { session, dialog } = await openWorld({ codec });
    await annWrites({ text: "What does it cost?" });
    const sent = await session.send(message("m1", dialog, "*Ten* 👋"), never);
    expect(sent).toMatchObject({ chatId: dialog, externalId: expect.stringMatching(/^\d{18}$/) });
    const again = await session.send(message("m1", dialog, "*Ten* 👋"), never);
    expect(again.externalId).toBe(sent.externalId);
    const kinds: readonly (readonly [string, MediaKind, string])[] = [
      ["image/jpeg", "image", "PHOTO"],
      ["video/mp4", "video", "VIDEO"],
      ["audio/ogg", "audio", "AUDIO"],
      ["audio/mpeg", "audio", "FILE"],
      ["application/pdf", "document", "FILE"],
    ];
    for (const [mimeType, kind] of kinds) {
      const content = { type: "file", file: file(mimeType, kind) } as const;
      await session.send({ ...message(mimeType, dialog, ""), content }, never);
    }
    const quoted = { chatType: "max", chatId: dialog, externalId: sent.externalId } as const;
    const answer = await session.send({ ...message("m9", dialog, "this"), quoted }, never);
    const ref = { chatType: "max", chatId: dialog, externalId: answer.externalId } as const;
    await session.edit(ref, { text: "that" }, never);
    await session.remove({ ...ref, externalId: sent.externalId }, never);
    await session.remove({ ...ref, externalId: sent.externalId }, never);
    const shown = (await conversation()).slice(1);
    expect(shown.map(({ attaches }) => attaches[0]?.["type"])).toEqual([
      undefined,
      ...kinds.map(([, , type]) => type),
      undefined,
    ]);
    expect(shown[0]).toMatchObject({
      text: "Ten 👋",
      elements: [{ type: "STRONG", from: 0, length: 3 }],
      status: "REMOVED",
    });
    expect(shown[5]?.attaches[0]).toMatchObject({ name: expect.stringContaining("pdf") });
    expect(shown.at(-1)).toMatchObject({ text: "that", status: "EDITED", link: { type: "REPLY" } });
    const { items } = await admin<{ items: Json[] }>("GET", `/people/${ANN}/inbox?event=read`);
    expect(items.length).toBeGreaterThan(0);
    const calls = await admin<{ items: Json[] }>("GET", "/calls");
    expect(calls.items.filter(({ unknown }) => unknown === true)).toEqual([]);
  });

  test("sends to phone numbers, and looks each up once", async () => {
    const { session, dialog } = await openWorld({ codec });
    const to = { chatType: "max", phone: ANN } as const;
    expect(await session.send({ ...message("m1", "", "Hello"), to }, never)).toMatchObject({
      chatId: dialog,
    });
    await session.send({ ...message("m2", "", "Hello"), to }, never);
    const nobody = { ...message("m3", "", "Hello"), to: { chatType: "max", phone: "79991111111" } } as const;
    for (let tries = 0; tries < 2; tries++)
      await expect(session.send(nobody, never)).rejects.toMatchObject({
        code: "BAD_CONTACT",
        retry: "never",
      });
    const { items } = await admin<{ items: Json[] }>("GET", `/calls?opcode=${OP.contactByPhone}`);
    expect(items).toHaveLength(2);
  });

  test("receives messages, and opens their files", async () => {
    const { link, session, dialog } = await openWorld({ codec });
    const kinds: readonly (readonly [object, object])[] = [
      [{ text: "Good morning" }, { type: "text", text: "Good morning" }],
      [
        { kind: "photo", text: "Look" },
        { type: "media", media: "image", text: "Look" },
      ],
      [{ kind: "video" }, { type: "media", media: "video" }],
      [{ kind: "voice" }, { type: "media", media: "audio" }],
      [{ kind: "file" }, { type: "media", media: "document", file: { name: "file.pdf" } }],
      [{ kind: "sticker" }, { type: "media", media: "image" }],
      [{ kind: "sticker", lottie: true }, { type: "media" }],
      [{ kind: "contact", phone: EVE, name: "Eve" }, { type: "vcard" }],
      [{ kind: "location" }, { type: "geo", latitude: 55.75 }],
      [{ kind: "call" }, { type: "missing_call" }],
      [{ kind: "share" }, { type: "text", text: "Example\nhttps://example.com/" }],
      [{ text: "See https://shop.example/1" }, { type: "text", text: "See https://shop.example/1" }],
      [
        { kind: "poll", question: "Lunch?" },
        { type: "unsupported", what: "poll", text: "Lunch?\n• Yes\n• No" },
      ],
      [
        { kind: "keyboard", text: "Choose" },
        { type: "text", text: "Choose\nOpen (https://example.com/)" },
      ],
      [
        { kind: "raw", type: "STORY", fields: {} },
        { type: "unsupported", what: "story" },
      ],
    ];
    for (const [written, expected] of kinds) {
      const { message_id: id } = await annWrites(written);
      const { body, ...about } = await inboundMessage(link, ({ externalId }) => externalId === id);
      expect(body).toMatchObject(expected);
      expect(about).toMatchObject({ chatId: dialog, direction: "in", contact: { name: "Ann", phone: ANN } });
      if (body.type !== "media" || (written as Json)["kind"] === "sticker") continue;
      const { stream } = await session.openFile(body.file, never);
      const { base64 } = await admin("GET", `/people/${ANN}/chats/${SHOP}/messages/${id}/file`);
      expect((await buffer(stream)).toString("base64")).toBe(base64);
    }
    expect(link.deadLetters).toEqual([]);
  });

  test("receives edits, read receipts and echoes", async () => {
    const { link, session, dialog } = await openWorld({ codec });
    const { message_id: id } = await annWrites({ text: "Tow" });
    await ann("edits", { message_id: id, text: "Two" });
    await link.waitFor((event) => event.kind === "edited" && event.ref.externalId === id);
    await ann("deletions", { message_id: id });
    await link.waitFor((event) => event.kind === "deleted" && event.ref.externalId === id);
    await admin("POST", "/settings", { deletions: "deleted", echo_own: true });
    const { message_id: other } = await annWrites({ text: "Three" });
    await ann("deletions", { message_id: other });
    await link.waitFor((event) => event.kind === "deleted" && event.ref.externalId === other);
    const { externalId } = await session.send(message("m1", dialog, "From the CRM"), never);
    await link.waitFor((event) => event.kind === "receipt" && event.ref.messageId === "m1");
    await ann("reads", { chat: SHOP });
    await link.waitFor((event) => event.kind === "readUpTo" && event.chatId === dialog);
    await shop("messages", { to: ANN, text: "From the phone" });
    expect(await inboundMessage(link, ({ direction }) => direction === "echo")).toMatchObject({
      chatId: dialog,
      contact: { name: "Ann" },
      body: { text: "From the phone" },
    });
    expect(messagesIn(link.events).some((each) => each.externalId === externalId)).toBe(false);
  });
});

test("requests the URLs of files again after they have expired", async () => {
  const { link, session } = await openWorld();
  await admin("POST", "/settings", { link_ttl_ms: 1_000 });
  const ids: string[] = [];
  for (const kind of ["photo", "voice", "file"]) ids.push(String((await annWrites({ kind }))["message_id"]));
  const received = await Promise.all(
    ids.map((id) => inboundMessage(link, ({ externalId }) => externalId === id)),
  );
  await admin("POST", "/time", { advance_seconds: 3_600 });
  for (const { body, externalId } of received) {
    if (body.type !== "media") throw new Error(body.type);
    const { stream } = await session.openFile(body.file, never);
    const { base64 } = await admin("GET", `/people/${ANN}/chats/${SHOP}/messages/${externalId}/file`);
    expect((await buffer(stream)).toString("base64")).toBe(base64);
  }
  const { items } = await admin<{ items: Json[] }>("GET", `/calls?opcode=${OP.messages}`);
  expect(items.length).toBeGreaterThan(0);
  const [, voice] = received;
  await ann("deletions", { message_id: ids[1] });
  await admin("POST", "/time", { advance_seconds: 3_600 });
  if (voice?.body.type !== "media") throw new Error("no file");
  await expect(session.openFile(voice.body.file, never)).rejects.toMatchObject({
    code: "GENERAL_ERROR",
    retry: "never",
  });
});

test("continues a chat that the owner started on the phone", async () => {
  const { link, dialog } = await openWorld();
  await shop("messages", { to: ANN, text: "From the phone" });
  await annWrites({ text: "Hello" });
  const texts = () => messagesIn(link.events).map(({ chatId, direction, body }) => [chatId, direction, body]);
  await vi.waitFor(() => expect(texts()).toHaveLength(2));
  expect(texts()).toEqual([
    [dialog, "echo", { type: "text", text: "From the phone" }],
    [dialog, "in", { type: "text", text: "Hello" }],
  ]);
});

test("groups: senders and group updates", async () => {
  const { link, session, dialog } = await openWorld();
  const group = await admin<{ id: string }>("POST", "/groups", { title: "Team", participants: [ANN, SHOP] });
  await link.waitFor((event) => event.kind === "members" && event.ref.chatId === group.id);
  await ann("messages", { to: group.id, text: "Hello all" });
  expect(await inboundMessage(link, ({ chatId }) => chatId === group.id)).toMatchObject({
    chatType: "maxgroup",
    contact: { name: "Team" },
    sender: { id: dialog, name: "Ann" },
  });
  const change = (action: string, more: object) =>
    admin("POST", `/groups/${group.id}/changes`, { action, ...more });
  await change("title", { value: "Crew" });
  await link.waitFor((event) => event.kind === "group" && event.title === "Crew");
  await change("add", { participants: [EVE] });
  await link.waitFor((event) => event.kind === "members" && event.members[0]?.person.name === "Eve");
  await change("leave", { by: EVE });
  await link.waitFor((event) => event.kind === "members" && event.members[0]?.change === "left");
  const to = { chatType: "maxgroup", chatId: group.id } as const;
  expect(await session.send({ ...message("m1", "", "Hi"), to }, never)).toMatchObject({ chatId: group.id });
});

describe("a failing connection", () => {
  test.each([
    ["before MAX accepted the message", { drop: "before" }],
    ["after MAX accepted the message", { drop: "after" }],
    ["without a response", { silent: "after" }],
    ["with an invalid frame", { forge: "garbage" }],
    ["with an unreadable response", { forge: "payload" }],
    ["with a compression bomb", { forge: "bomb" }],
    ["with a truncated response", { forge: "truncated" }],
    ["with a response of another length", { forge: "length" }],
    ["with a response to another request", { forge: "seq" }],
    ["with a response with another opcode", { forge: "opcode" }],
  ])("%s: the message is delivered once", async (_, fault) => {
    const { session, dialog } = await openWorld({}, { ...FAST, callMs: 1_500 });
    await admin("POST", "/faults", { opcode: OP.send, ...fault });
    await expect(session.send(message("m1", dialog, "Once"), never)).rejects.toMatchObject({
      retry: "unknown",
    });
    const sent = await vi.waitFor(() => session.send(message("m1", dialog, "Once"), never), {
      timeout: 10_000,
    });
    const shown = await conversation();
    expect(shown.map(({ message_id }) => message_id)).toEqual([sent.externalId]);
  });

  test("detects a silent connection, and emits what arrived meanwhile", async () => {
    const { link, state, session } = await openWorld();
    await session.close();
    await open(link, { ...FAST, silentMs: 900 });
    await state({ status: "active" });
    await shop("sessions/any/freezes");
    await annWrites({ text: "Are you there?" });
    await state({ status: "lost" });
    await state({ status: "active" });
    await inboundMessage(link, ({ body }) => body.type === "text" && body.text === "Are you there?");
  });

  test("emits missed messages in order, also if the process ends during the catch-up", async () => {
    const { link, session } = await openWorld();
    await annWrites({ text: "Before" });
    await inboundMessage(link, ({ body }) => body.type === "text" && body.text === "Before");
    await session.close();
    // The times of loaded messages end now; without this they would begin before the link.
    await admin("POST", "/time", { advance_seconds: 1 });
    await admin("POST", "/load", { from: ANN, to: SHOP, count: 450 });
    await admin("POST", "/load", { from: EVE, to: SHOP, count: 150 });
    link.events.length = 0;
    // It ends while the third page is being stored.
    let stored = 0;
    const first = await openSession(link, FAST);
    const ended = Promise.withResolvers<void>();
    link.onEmit(async (event) => {
      if (event.kind === "message" && ++stored === 250) ended.resolve();
      if (stored > 250) throw new Error("the process is ending");
    });
    await ended.promise;
    await first.close();
    link.onEmit(null);
    await admin("POST", "/faults", { opcode: OP.history, error: "too.many.requests", times: 2 });
    await open(link);
    await link.waitFor((event) => isState(event, { status: "active" }));
    const texts = (name: string): unknown[] => [
      ...new Set(
        messagesIn(link.events)
          .filter(({ contact }) => contact.name === name)
          .map(({ body }) => (body.type === "text" ? body.text : "")),
      ),
    ];
    const numbered = (count: number) => Array.from({ length: count }, (_, index) => `Message ${index + 1}`);
    expect(texts("Ann").filter((text) => text !== "Before")).toEqual(numbered(450));
    expect(texts("Eve")).toEqual(numbered(150));
  });

  test("becomes active and emits messages, although those of one chat are never readable", async () => {
    const { link, session, dialog } = await openWorld();
    await session.close();
    await admin("POST", "/time", { advance_seconds: 1 });
    await annWrites({ text: "Unreadable" });
    await person(EVE)("messages", { to: SHOP, text: "Readable" });
    link.events.length = 0;
    const fault = { opcode: OP.history, chat_id: Number(dialog), forge: "garbage", times: 0 };
    await admin("POST", "/faults", fault);
    await open(link);
    await link.waitFor((event) => isState(event, { status: "active" }));
    await annWrites({ text: "Later" });
    await inboundMessage(link, ({ body }) => body.type === "text" && body.text === "Later");
    const texts = messagesIn(link.events).map(({ body }) => (body.type === "text" ? body.text : ""));
    // Each catch-up that fails emits the others again; core stores each once.
    expect([...new Set(texts)]).toEqual(["Readable", "Later"]);
    expect(link.logs.map(({ message: said }) => said)).toContain("MAX: messages of a chat are skipped");
  });

  test("does not import messages from before the link", async () => {
    await addPeople();
    await annWrites({ text: "Old" });
    const { link, state } = await linkShop();
    await annWrites({ text: "New" });
    const texts = () => messagesIn(link.events).map(({ body }) => (body.type === "text" ? body.text : ""));
    await vi.waitFor(() => expect(texts()).toEqual(["New"]));
    await shop("sessions/any/drops");
    await state({ status: "lost" });
    await state({ status: "active" });
    expect(new Set(texts())).toEqual(new Set(["New"]));
  });

  test("catches up with more chats than a login returns", async () => {
    const { link, session } = await openWorld();
    await session.close();
    const phones = Array.from({ length: 60 }, (_, index) => `7999100${String(index).padStart(4, "0")}`);
    for (const phone of phones) {
      await admin("POST", "/people", { phone, name: phone });
      await person(phone)("messages", { to: SHOP, text: "Hello" });
    }
    link.events.length = 0;
    await open(link);
    await link.waitFor((event) => isState(event, { status: "active" }));
    const names = new Set(messagesIn(link.events).map(({ contact }) => contact.name));
    expect(phones.filter((phone) => !names.has(phone))).toEqual([]);
  });
});

describe("the account", () => {
  test.each([
    ["its sessions were ended on the phone", () => admin("DELETE", `/people/${SHOP}/sessions/any`)],
    ["another login ended them", () => shop("logins", { ends_others: true })],
    ["MAX blocked the account", () => shop("bans")],
  ])("is unauthorized when %s", async (_, act) => {
    const { link, state } = await openWorld();
    await act();
    await state({ status: "disabled", reason: "unauthorized" });
    const stored = (await link.vault.readAll("account")).get("session");
    expect(JSON.parse(Buffer.from(stored ?? []).toString())).toMatchObject({
      token: null,
      deviceId: expect.any(String),
    });
  });

  test("continues with the token of the latest login", async () => {
    await admin("POST", "/settings", { rotate_tokens: true });
    const { link, state, session } = await openWorld();
    for (let times = 0; times < 2; times++) {
      await shop("sessions/any/drops");
      await state({ status: "lost" });
      await state({ status: "active" });
    }
    await session.close();
    await open(link);
    await state({ status: "active" });
  });

  test("stops sending when MAX warns it", async () => {
    const { session, dialog } = await openWorld();
    await shop("restrictions", { seconds: 60 });
    await expect(session.send(message("m1", dialog, "Hi"), never)).rejects.toMatchObject({
      code: "SPAM",
      retry: "never",
      cooldown: { until: expect.any(Date) },
    });
    await admin("POST", "/faults", { opcode: OP.send, error: "too.many.requests" });
    await annWrites({ text: "Hello" });
    await expect(session.send(message("m2", dialog, "Hi"), never)).rejects.toMatchObject({
      code: "TOO_MANY_EXT_REQS",
      retry: { scope: "channel" },
    });
  });

  test("waits long when its version is rejected, and logs it", async () => {
    await addPeople();
    const link = newLink({ appVersion: "25.0.0" });
    await open(link);
    await link.waitForLog(({ level, message: said }) => level === "warn" && said.includes("MAX_APP_VERSION"));
    await link.waitFor((event) => isState(event, { status: "lost" }));
  });

  test("is logged out after a growing pause if MAX refuses", async () => {
    const { session } = await openWorld({}, { ...FAST, firstPauseMs: 1_000 });
    await admin("POST", "/faults", { opcode: OP.logout, error: "internal.error" });
    const began = performance.now();
    await session.logout();
    expect(performance.now() - began).toBeGreaterThan(450);
  });

  test("is logged out on MAX, too", async () => {
    const { link, session } = await openWorld();
    await session.logout();
    expect((await admin<{ items: Json[] }>("GET", `/people/${SHOP}/sessions`)).items).toEqual([]);
    expect(await link.vault.readAll("account")).toEqual(new Map());
  });
});

describe("the history of an account", () => {
  const batchesOf = ({ events }: Link) => events.filter((event) => event.kind === "history");
  const importedBy = (link: Link) => batchesOf(link).flatMap(({ messages }) => messages);
  const isDone = (link: Link): boolean => batchesOf(link).some((event) => event.isDone === true);
  const wordsOf = (link: Link) =>
    importedBy(link).map(({ body }) => ("text" in body ? String(body.text) : body.type));
  const untilDone = (link: Link) => vi.waitUntil(() => isDone(link), { timeout: 30_000, interval: 5 });

  /** A link that is to import, of an account with 25 messages of Ann's, an answer and one of Eve's. */
  async function wishing() {
    await addPeople();
    // Pages of ten: the next ones are requested.
    await admin("POST", "/settings", { history_page: 10 });
    for (let n = 1; n <= 25; n++) await annWrites({ text: `a${n}` });
    await shop("messages", { to: ANN, text: "answer" });
    await person(EVE)("messages", { to: SHOP, text: "hello" });
    const link = newLink();
    const wish = { since: new Date(Date.now() - 86_400_000) };
    Object.assign(link, { history: async () => (isDone(link) ? null : wish) });
    return link;
  }
  const own = [...Array.from({ length: 25 }, (_, n) => `a${n + 1}`), "answer"];

  test("is imported chat by chat, from the newest page back, and nothing of it is live", async () => {
    const link = await wishing();
    const state = states(link);
    await open(link);
    await scan(SHOP, await state({ reason: "qr" }));
    await untilDone(link);
    expect([...new Set(wordsOf(link))].toSorted()).toEqual([...own, "hello"].toSorted());
    const pages = batchesOf(link).map(({ messages }) =>
      messages.filter(({ contact }) => contact.name === "Ann"),
    );
    const found = pages.toReversed().flat();
    const inOrder = found.filter(
      ({ externalId }, index) => found.findIndex((each) => each.externalId === externalId) === index,
    );
    expect(inOrder.map(({ body }) => ("text" in body ? body.text : ""))).toEqual(own);
    expect(inOrder.at(-1)).toMatchObject({ direction: "echo", chatType: "max" });
    expect(messagesIn(link.events)).toEqual([]);
    expect((await link.vault.readAll("history")).size).toBe(0);
  });

  test("is continued by the next session", async () => {
    const link = await wishing();
    let count = 0;
    const { promise: hung, resolve: tellHung } = Promise.withResolvers<void>();
    link.onEmit(async (event) => {
      if (event.kind !== "history" || event.messages.length === 0 || ++count < 3) return;
      tellHung();
      await new Promise(() => undefined);
    });
    const state = states(link);
    const session = await open(link);
    await scan(SHOP, await state({ reason: "qr" }));
    await hung;
    await session.close();
    const before = importedBy(link).length;
    link.onEmit(null);
    await open(link);
    await untilDone(link);
    expect([...new Set(wordsOf(link))].toSorted()).toEqual([...own, "hello"].toSorted());
    // At most a page, and the message at its edge, is read again.
    expect(importedBy(link).length - before).toBeLessThan(own.length + 10);
  });
});
