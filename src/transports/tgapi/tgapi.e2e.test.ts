import { Readable } from "node:stream";
import { expect, test } from "vitest";
import {
  BOB,
  bytesOf,
  type Link,
  next,
  SHOP,
  sendUntilSent,
  signal,
  state,
  useTgapi,
} from "./e2e-test-kit.ts";
import { FAST, fileMessage, outboundFile, textMessage } from "./testing.ts";

const { admin, connect, makeLink, open, people, scan, seen, write } = useTgapi();

const inboundMessage = (link: Link) =>
  next(link, (event) => (event.kind === "message" ? event.message : undefined));
const text = (link: Link, wanted: string) =>
  next(link, (event) =>
    event.kind === "message" && event.message.body.type === "text" && event.message.body.text === wanted
      ? event.message
      : undefined,
  );

test("links by a refreshed QR code, in another data centre, with a password", async () => {
  await people({ home_dc: 4, password: "secret", hint: "a cat" });
  const link = makeLink();
  const session = await open(link, { ...FAST, qrMs: 50 });
  await state(link, "init/qr");
  await scan(link);
  expect(await state(link, "init/wait_for_password")).toMatchObject({ hint: "a cat" });
  await expect(session.answer({ kind: "phone", value: SHOP })).rejects.toMatchObject({
    reason: "not_expected",
  });
  const wrong = session.answer({ kind: "password", value: "guess" });
  await expect(wrong).rejects.toMatchObject({ reason: "wrong", message: expect.stringContaining("a cat") });
  await session.answer({ kind: "password", value: "secret" });
  await state(link, "init/sync");
  const profile = { name: "Shop", username: "the_shop", phone: SHOP };
  expect(await state(link, "active")).toMatchObject({ profile });
  await session.close();
  // The stored data is sufficient to reconnect without a code.
  link.events.length = 0;
  await open(link);
  expect(await state(link, "active")).toMatchObject({ profile });
});

test("links by a number and a code, and gives up without any input", async () => {
  await people();
  const link = makeLink();
  const session = await open(link);
  await state(link, "init/qr");
  await session.answer({ kind: "phone", value: SHOP });
  await state(link, "init/wait_for_code");
  await expect(session.answer({ kind: "code", value: "00000" })).rejects.toMatchObject({ reason: "wrong" });
  const { items } = await admin<{ items: { code: string }[] }>("GET", `/people/${SHOP}/codes`);
  await session.answer({ kind: "code", value: items[0]?.code ?? "" });
  await state(link, "active");

  const idle = makeLink();
  await open(idle, { ...FAST, qrMs: 20, qrCodes: 3 });
  await state(idle, "disabled/qridle");
  const codes = idle.events.filter((event) => event.kind === "link");
  expect(codes.length).toBe(0);
});

test("sends by username, number and id, edits, deletes, and receives read receipts", async () => {
  const { link, session, bob } = await connect();
  const ways = [{ username: "bob_b" }, { phone: BOB }, { chatId: bob }];
  const sent = [];
  for (const [index, way] of ways.entries()) {
    const to = { chatType: "telegram", ...way } as const;
    sent.push(await session.send(textMessage({ id: `m${index}`, to }), signal()));
  }
  expect(sent.map(({ chatId }) => chatId)).toEqual([bob, bob, bob]);
  const [first, second, third] = sent.map(
    ({ externalId }) => ({ chatType: "telegram", chatId: bob, externalId }) as const,
  );
  if (!first || !second || !third) throw new Error("not sent");
  await session.edit(first, { text: "changed" }, signal());
  await session.edit(first, { text: "changed" }, signal());
  await session.remove(second, signal());
  await session.remove(second, signal());
  expect(await seen()).toEqual(["changed", "hello"]);
  await admin("POST", `/people/${BOB}/reads`, { chat: SHOP });
  expect(await next(link, (event) => (event.kind === "readUpTo" ? event : undefined))).toMatchObject({
    chatId: bob,
    upTo: { externalId: third.externalId },
  });
  const nobody = { chatType: "telegram", username: "nobody_here" } as const;
  await expect(session.send(textMessage({ to: nobody }), signal())).rejects.toMatchObject({
    code: "BAD_CONTACT",
  });
});

test("transfers files in parts, also from another data centre and with an expired reference", async () => {
  const { link, session, bob } = await connect();
  const to = { chatType: "telegram", chatId: bob } as const;
  await session.send(textMessage({ id: "first", to: { chatType: "telegram", username: "bob_b" } }), signal());
  const size = 2 * 1024 * 1024 + 5;
  const pieces = function* (): Generator<Buffer> {
    for (let left = size; left > 0; left -= 300_000) yield Buffer.alloc(Math.min(left, 300_000), 7);
  };
  const big = fileMessage({ size, open: () => Readable.from(pieces()), name: "big.bin" });
  const { externalId } = await session.send({ ...big, id: "big", to }, signal());
  expect(externalId).not.toBe("");
  // Not a picture at all: it is sent as a document instead.
  const odd = outboundFile({ kind: "image", mimeType: "image/jpeg", name: "a.jpg" });
  await session.send(textMessage({ id: "odd", to, content: { type: "file", file: odd } }), signal());
  const sizes = await admin<{ items: { kind: string; size: number | null }[] }>(
    "GET",
    `/people/${BOB}/chats/${SHOP}/messages`,
  );
  expect(sizes.items.map((each) => each.size)).toEqual([null, size, odd.size]);

  await write({ kind: "document", file_dc: 4, file: { size: 1_300_000 } });
  const { body } = await inboundMessage(link);
  if (body.type !== "media") throw new Error("no file");
  expect(await bytesOf(await session.openFile(body.file, signal()))).toBe(1_300_000);
  await admin("POST", "/file_references/expiries");
  expect(await bytesOf(await session.openFile(body.file, signal()))).toBe(1_300_000);
});

test("reactions, in both directions", async () => {
  const { link, session, bob } = await connect();
  const to = { chatType: "telegram", username: "bob_b" } as const;
  const { externalId } = await session.send(textMessage({ to }), signal());
  const items = async () =>
    (
      await admin<{ items: { message_id: number; reactions: unknown[] }[] }>(
        "GET",
        `/people/${BOB}/chats/${SHOP}/messages`,
      )
    ).items;
  const [shown] = await items();
  const message = { chat: SHOP, message_id: shown?.message_id };
  for (const emoji of ["🔥", null]) {
    await admin("POST", `/people/${BOB}/reactions`, { ...message, ...(emoji !== null && { emoji }) });
    const reacted = await next(link, (event) =>
      event.kind === "reaction" && event.by !== undefined && event.emoji === emoji ? event : undefined,
    );
    expect(reacted).toMatchObject({ ref: { chatId: bob, externalId }, by: { id: bob, name: "Bob" } });
  }
  const target = { chatType: "telegram", chatId: bob, externalId, isOwn: true, changeId: "1" } as const;
  // Repeated, as after an unknown outcome.
  for (const _ of [1, 2]) await session.react(target, "❤️", signal());
  expect((await items()).at(-1)).toMatchObject({ reactions: [{ from: SHOP, emoji: "❤" }] });
  await session.react(target, null, signal());
  expect((await items()).at(-1)).toMatchObject({ reactions: [] });
  await expect(session.react(target, "🧷", signal())).rejects.toMatchObject({ code: "GENERAL_ERROR" });
});

const PART = 512 * 1024;

test("files of the largest size are sent and received, a few parts at a time", async () => {
  const { link, session } = await connect();
  const to = { chatType: "telegram", username: "bob_b" } as const;
  const size = 50 * 1024 * 1024;
  const partsMoved = async (method: string): Promise<number> =>
    (await admin<{ items: unknown[] }>("GET", `/calls?method=${method}&limit=1000`)).items.length;
  let [ahead, read] = [0, 0];
  async function* pieces(): AsyncGenerator<Buffer> {
    for (; read < size; read += PART / 8) {
      if (read % (4 * PART) === 0)
        ahead = Math.max(ahead, read - PART * (await partsMoved("upload.saveBigFilePart")));
      yield Buffer.alloc(PART / 8, 7);
    }
  }
  const big = fileMessage({ size, open: () => Readable.from(pieces()), name: "big.bin" });
  await session.send({ ...big, id: "big", to }, signal());
  expect(read).toBe(size);
  // Three parts in transit, one being filled, and the read-ahead of an object stream: 16 pieces.
  expect(ahead).toBeLessThanOrEqual(6 * PART);

  await write({ kind: "document", file: { size } });
  const { body } = await inboundMessage(link);
  if (body.type !== "media") throw new Error("no file came");
  const { stream } = await session.openFile(body.file, signal());
  let [fetchedAhead, received] = [0, 0];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    received += chunk.length;
    const fetched = PART * (await partsMoved("upload.getFile"));
    fetchedAhead = Math.max(fetchedAhead, fetched - received);
  }
  expect(received).toBe(size);
  expect(fetchedAhead).toBeLessThanOrEqual(3 * PART);
});

test("emits group updates, echoes, edits and deletions", async () => {
  const { link, session, bob } = await connect();
  const { their_message_id: theirs, message_id: own } = await write({ text: "Tow" });
  expect(await text(link, "Tow")).toMatchObject({ chatId: bob, contact: { name: "Bob", phone: BOB } });
  await admin("POST", `/people/${BOB}/edits`, { chat: SHOP, message_id: own, text: "Two" });
  const ref = { chatId: bob, externalId: String(theirs) };
  expect(await next(link, (event) => (event.kind === "edited" ? event : undefined))).toMatchObject({ ref });
  await admin("POST", `/people/${BOB}/deletions`, { chat: SHOP, message_id: own });
  expect(await next(link, (event) => (event.kind === "deleted" ? event : undefined))).toMatchObject({ ref });
  await admin("POST", `/people/${SHOP}/messages`, { to: BOB, text: "From the phone" });
  expect(await inboundMessage(link)).toMatchObject({ direction: "echo", chatId: bob });

  for (const kind of ["group", "supergroup"]) {
    const group = await admin<{ id: number }>("POST", "/groups", {
      kind,
      title: "Team",
      participants: [SHOP, BOB],
    });
    const chatId = String(group.id);
    await admin("POST", `/people/${BOB}/messages`, { to: chatId, text: `in a ${kind}` });
    expect(await text(link, `in a ${kind}`)).toMatchObject({
      chatType: "telegroup",
      chatId,
      contact: { name: "Team" },
      sender: { id: bob, name: "Bob" },
    });
    const to = { chatType: "telegroup", chatId } as const;
    const sent = await session.send(textMessage({ id: kind, to }), signal());
    await session.remove({ ...to, externalId: sent.externalId }, signal());
    await admin("POST", `/groups/${chatId}/titles`, { title: "Crew", by: BOB });
    expect(await next(link, (event) => (event.kind === "group" ? event : undefined))).toMatchObject({
      title: "Crew",
      by: { id: bob },
    });
  }
});

test("a message is sent once, whatever happens to the connection and the response", async () => {
  const { link, session, bob } = await connect();
  const to = { chatType: "telegram", username: "bob_b" } as const;
  const trouble = [
    { kind: "drop" },
    { kind: "drop", forget: true },
    { kind: "drop_before" },
    { kind: "error", error: "INTERNAL" },
  ];
  for (const [index, fault] of trouble.entries()) {
    await admin("POST", "/faults", { method: "messages.sendMessage", ...fault });
    const message = textMessage({ id: `t${index}`, to, content: { type: "text", text: `text ${index}` } });
    await sendUntilSent(session, message);
  }
  // A crash after Telegram accepted it: the next process recognises it as its own.
  await admin("POST", "/faults", { method: "messages.sendMessage", kind: "drop", forget: true });
  const last = textMessage({ id: "last", to, content: { type: "text", text: "the last" } });
  const giveUp = new AbortController();
  const sending = session.send(last, giveUp.signal).catch(() => undefined);
  await admin("GET", `/calls?method=messages.sendMessage&count=6&timeout_ms=20000`);
  await session.close();
  giveUp.abort();
  await sending;
  const again = await open(link);
  await sendUntilSent(again, last);
  expect(await seen()).toEqual([...trouble.map((_, index) => `text ${index}`), "the last"]);
  expect(link.events.some((event) => event.kind === "message")).toBe(false);
  expect(bob).not.toBe("");
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const ofPicture = { kind: "image", name: "a.png", mimeType: "image/png", size: PNG.length } as const;
const FILES = [
  ["photo", outboundFile({ ...ofPicture, open: () => Readable.from([PNG]) })],
  ["gif", outboundFile({ kind: "image", name: "a.gif", mimeType: "image/gif" })],
  ["document", outboundFile()],
] as const;
const echoes = ({ events }: Link) => events.filter((event) => event.kind === "message");
const chatOf = (phone: string) =>
  admin<{ items: { kind: string }[] }>("GET", `/people/${BOB}/chats/${phone}/messages`);

test.each(FILES)("a %s whose response was lost is sent once, and is no echo", async (_, file) => {
  const { link, session } = await connect();
  const to = { chatType: "telegram", username: "bob_b" } as const;
  await admin("POST", "/faults", { method: "messages.sendMedia", kind: "drop", forget: true });
  await sendUntilSent(session, textMessage({ to, content: { type: "file", file } }));
  await sendUntilSent(session, textMessage({ id: "after", to }));
  expect((await chatOf(SHOP)).items).toHaveLength(2);
  expect(echoes(link)).toEqual([]);
});

test.each(FILES)(
  "a %s that was not sent yet is not taken for another one that the owner sends",
  async (kind, file) => {
    const { link, session } = await connect();
    const to = { chatType: "telegram", username: "bob_b" } as const;
    const message = textMessage({ to, content: { type: "file", file } });
    await admin("POST", "/faults", { method: "messages.sendMedia", error: "INTERNAL", times: 0 });
    const giveUp = new AbortController();
    const sending = session.send(message, giveUp.signal);
    sending.catch(() => undefined);
    await admin("GET", "/calls?method=messages.sendMedia&count=1&timeout_ms=20000");
    giveUp.abort();
    await expect(sending).rejects.toMatchObject({ retry: "unknown" });
    await admin("POST", `/people/${SHOP}/messages`, {
      to: BOB,
      kind: kind === "gif" ? "document" : kind,
      file: { size: 500 },
    });
    const echo = await inboundMessage(link);
    expect(echo).toMatchObject({ direction: "echo" });
    await admin("DELETE", "/faults");
    const sent = await session.send(message, signal());
    expect(sent.externalId).not.toBe(echo.externalId);
    expect((await chatOf(SHOP)).items).toHaveLength(2);
    expect(echoes(link)).toEqual([]);
  },
);

test("reports why the session ended", async () => {
  const { link } = await connect();
  await admin("DELETE", `/people/${SHOP}/sessions/any`);
  await state(link, "disabled/unauthorized");
  expect((await link.vault.readAll("auth-key")).size).toBe(0);
  // Another account than before.
  await open(link);
  await scan(link, BOB);
  await state(link, "disabled/foreignphone");
  expect((await admin<{ items: unknown[] }>("GET", `/people/${BOB}/sessions`)).items).toEqual([]);
  const again = await open(link);
  await scan(link);
  await state(link, "active");
  await admin("POST", `/people/${SHOP}/sessions/any/duplicates`);
  await state(link, "disabled/openelsewhere");
  await again.close();
});

test("logging out removes the session from the list of devices", async () => {
  const { session } = await connect();
  await session.logout();
  expect((await admin<{ items: unknown[] }>("GET", `/people/${SHOP}/sessions`)).items).toEqual([]);
});

const keysOf = async (link: Link): Promise<Record<string, string>> =>
  Object.fromEntries(
    [...(await link.vault.readAll("auth-key"))].map(([id, key]) => [id, Buffer.from(key).toString("hex")]),
  );

test.each(["fingerprint", "nonce", "g_a", "answer_hash", "dh_prime", "new_nonce_hash"])(
  "a server with a forged %s in the key exchange gets no session; an honest one does",
  async (kind) => {
    await people();
    await admin("POST", "/forgeries", { kind, times: 1_000 });
    const link = makeLink();
    const session = await open(link);
    const forged = async (): Promise<number> => {
      const { items } = await admin<{ items: { kind: string; left: number }[] }>("GET", "/forgeries");
      return 1_000 - (items.find((each) => each.kind === kind)?.left ?? 1_000);
    };
    await expect.poll(forged).toBeGreaterThan(1);
    expect(await keysOf(link)).toEqual({});
    expect(link.events.filter((event) => event.kind === "link" && event.state.status !== "lost")).toEqual([]);
    await admin("POST", "/forgeries", { kind, times: 0 });
    await scan(link);
    await state(link, "active");
    await session.close();
  },
);

test("a file of another data centre is refused while the key exchange there is forged, and arrives afterwards", async () => {
  const { link, session } = await connect();
  const keys = await keysOf(link);
  await write({ kind: "document", file_dc: 4, file: { base64: Buffer.from("bytes").toString("base64") } });
  const { body } = await inboundMessage(link);
  if (body.type !== "media") throw new Error("no file came");
  await admin("POST", "/forgeries", { kind: "dh_prime", times: 1_000 });
  const short = AbortSignal.timeout(2_000);
  await expect(session.openFile(body.file, short).then(bytesOf)).rejects.toThrow();
  expect(await keysOf(link)).toMatchObject(keys);
  await admin("POST", "/forgeries", { kind: "dh_prime", times: 0 });
  await expect
    .poll(() => session.openFile(body.file, signal()).then(bytesOf, () => 0))
    .toBe(Buffer.from("bytes").length);
  expect(await keysOf(link)).toMatchObject(keys);
});

test("a number that is found only as a contact is imported, written to, and removed again", async () => {
  const { session, bob } = await connect();
  await admin("POST", "/faults", { method: "contacts.resolvePhone", error: "PHONE_NOT_OCCUPIED" });
  const to = { chatType: "telegram", phone: BOB } as const;
  expect(await session.send(textMessage({ to }), signal())).toMatchObject({ chatId: bob });
  expect(await seen()).toEqual(["hello"]);
  const calls = async (method: string): Promise<number> =>
    (await admin<{ items: unknown[] }>("GET", `/calls?method=${method}`)).items.length;
  expect([await calls("contacts.importContacts"), await calls("contacts.deleteContacts")]).toEqual([1, 1]);
  expect(await admin("GET", `/people/${SHOP}`)).toMatchObject({ contacts: [] });
});

test("a file that each data centre refers to another ends in an error after a few requests", async () => {
  const { link, session } = await connect();
  await write({ kind: "document", file: { base64: Buffer.from("bytes").toString("base64") } });
  const { body } = await inboundMessage(link);
  if (body.type !== "media") throw new Error("no file came");
  for (let n = 0; n < 20; n++) {
    const error = `FILE_MIGRATE_${n % 2 === 0 ? 4 : 2}`;
    await admin("POST", "/faults", { method: "upload.getFile", error, code: 303 });
  }
  await expect(session.openFile(body.file, signal()).then(bytesOf)).rejects.toMatchObject({ retry: "later" });
  const { items } = await admin<{ items: unknown[] }>("GET", "/calls?method=upload.getFile&limit=1000");
  expect(items.length).toBeLessThan(10);
});
