import { createHash } from "node:crypto";
import { request } from "node:https";
import type { BinaryNode } from "baileys";
import { describe, expect, test } from "vitest";
import type { Json } from "../test-kit.ts";
import { type Client, type Kit, withWhatsapp } from "./test-kit.ts";
import { bytesOf, child, children } from "./wire/node.ts";

const [ann, bob, eve] = ["79990000001", "79990000002", "79990000003"] as const;
const toBob = `${bob}@s.whatsapp.net`;

interface Stage extends Kit {
  readonly client: Client;
  /** The newest entries of Bob's phone, as soon as there are that many. */
  readonly bobGets: (count: number, query?: string) => Promise<Json>;
}

function withLinked(run: (stage: Stage) => Promise<void>): Promise<void> {
  return withWhatsapp(async (kit) => {
    await kit.admin("POST /people", { phone: bob, name: "Bob" });
    await kit.admin("POST /people", { phone: eve, name: "Eve" });
    const client = await kit.link(ann);
    const bobGets = async (count: number, query = "") => {
      const page = await kit.admin(`GET /people/${bob}/inbox?count=${count}${query}`);
      if (String(page["complete"]) !== "true") throw new Error(JSON.stringify(page));
      return page["items"] as Json;
    };
    await run({ ...kit, client, bobGets });
  });
}

/** Resolves when a sent message has this status; an early one is merged into the message's own event. */
async function status(client: Client, id: string, wanted: number): Promise<readonly unknown[]> {
  const updated = client.next("messages.update", (updates) =>
    updates.find(({ key, update }) => key.id === id && update.status === wanted),
  );
  const merged = client.next("messages.upsert", ({ messages }) =>
    messages.find((message) => message.key.id === id && message.status === wanted),
  );
  const first = await Promise.any([updated, merged]);
  return ("update" in first ? first.update.messageStubParameters : first.messageStubParameters) ?? [];
}

/** An unencrypted message. */
const garbage: BinaryNode[] = [
  {
    tag: "to",
    attrs: { jid: toBob },
    content: [{ tag: "enc", attrs: { v: "2", type: "msg" }, content: Buffer.alloc(80, 0x33) }],
  },
];

function sendRaw(client: Client, id: string, participants: BinaryNode[]): Promise<void> {
  const content = [{ tag: "participants", attrs: {}, content: participants }];
  return client.socket.sendNode({ tag: "message", attrs: { id, to: toBob, type: "text" }, content });
}

/** Increases each time a message is requested from the client again. */
function retriesSeenBy(client: Client): { count: string | undefined; hasKeys: boolean }[] {
  const seen: { count: string | undefined; hasKeys: boolean }[] = [];
  client.socket.ws.on("CB:receipt,type:retry", ({ content }: BinaryNode) => {
    const parts = Array.isArray(content) ? content : [];
    const { count } = parts.find(({ tag }) => tag === "retry")?.attrs ?? {};
    seen.push({ count, hasKeys: parts.some(({ tag }) => tag === "keys") });
  });
  return seen;
}

/** Returns what tells how a message was answered: the tags of the stanzas with its id, in order. */
function answersSeenBy(client: Client): (id: string) => string[] {
  const seen: BinaryNode[] = [];
  for (const tag of ["ack", "receipt"])
    client.socket.ws.on(`CB:${tag}`, (stanza: BinaryNode) => seen.push(stanza));
  return (id) => seen.filter(({ attrs }) => attrs["id"] === id).map(({ tag }) => tag);
}

describe("messages received by a contact", () => {
  test("texts, really encrypted, with receipts when they are sent", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      const known = await client.socket.onWhatsApp(bob, "79995555555");
      expect(known).toEqual([{ jid: toBob, exists: true }]);
      const told = answersSeenBy(client);
      const first = await client.socket.sendMessage(toBob, { text: "hello" });
      const id = first?.key.id ?? "";
      expect(await bobGets(1)).toMatchObject([
        { message_id: id, from: ann, device: 1, chat: ann, kind: "text", text: "hello", encryption: "pkmsg" },
      ]);
      await status(client, id, 3);
      // The server has a message before its recipient confirms it.
      expect(told(id)[0]).toBe("ack");
      expect(await admin(`POST /people/${bob}/reads`, { message_id: id })).toEqual({ message_ids: [id] });
      await status(client, id, 4);
      expect(await admin("GET /sent")).toMatchObject({
        items: [
          {
            message_id: id,
            to: toBob,
            chat: bob,
            ack: "sent",
            recipients: [
              { phone: ann, device: 0, text: "hello", problem: null },
              { phone: bob, device: 0, text: "hello", problem: null },
            ],
          },
        ],
      });
      await admin(`POST /people/${bob}/messages`, { to: ann, text: "hi" });
      await client.next("messages.upsert", ({ messages }) =>
        messages.find(({ message }) => message?.conversation === "hi"),
      );
      await client.socket.sendMessage(toBob, { text: "again" });
      expect(await bobGets(1, "&after=1")).toMatchObject([{ text: "again", encryption: "msg" }]);
    }));

  test("quotes, edits, deletions and reactions; nothing after 15 minutes", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      const first = await client.socket.sendMessage(toBob, { text: "one" });
      const key = first?.key ?? {};
      await client.socket.sendMessage(toBob, { text: "one, edited", edit: key });
      await client.socket.sendMessage(toBob, { react: { text: "👍", key } });
      const quoted = first && { quoted: first };
      const second = await client.socket.sendMessage(toBob, { text: "two" }, quoted);
      expect(await bobGets(4)).toMatchObject([
        { kind: "text" },
        { kind: "edit", text: "one, edited", target_id: key.id, problem: null },
        { kind: "reaction", text: "👍", target_id: key.id },
        { kind: "text", quoted_id: key.id },
      ]);
      await admin("POST /time", { advance_seconds: 901 });
      await client.socket.sendMessage(toBob, { text: "too late", edit: key });
      await client.socket.sendMessage(toBob, { delete: second?.key ?? {} });
      expect(await bobGets(2, "&after=4")).toMatchObject([
        { kind: "edit", problem: "the message is older than 15 minutes" },
        { kind: "deletion", target_id: second?.key.id, problem: null },
      ]);
      const chat = await admin(`GET /people/${bob}/chats/${ann}/messages`);
      expect(chat["items"]).toMatchObject([
        { text: "one, edited", edited: true, deleted: false, reactions: { [ann]: "👍" } },
        { text: "two", deleted: true },
      ]);
    }));

  test("files, encrypted and stored by hash", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      const bytes = Buffer.alloc(50_000, "file");
      const contents = [
        { document: bytes, mimetype: "application/pdf", fileName: "offer.pdf", caption: "Offer" },
        { video: bytes, mimetype: "video/mp4" },
        { audio: bytes, mimetype: "audio/ogg; codecs=opus", ptt: true },
      ];
      for (const content of contents) await client.socket.sendMessage(toBob, content);
      const items = await bobGets(3);
      expect(items).toMatchObject([
        { kind: "document", text: "Offer" },
        { kind: "video" },
        { kind: "voice" },
      ]);
      for (const index of [0, 1, 2]) {
        const id = String(items[index]?.["message_id"]);
        const file = await admin(`GET /people/${bob}/chats/${ann}/messages/${id}/file`);
        expect(file["sha256"]).toBe(createHash("sha256").update(bytes).digest("hex"));
      }
    }));

  test("an upload without token, with another hash, and too large", () =>
    withLinked(async ({ client, whatsapp, admin }) => {
      await admin("POST /settings", { media_max_bytes: 1000 });
      const content = { document: Buffer.alloc(2000), mimetype: "application/pdf" };
      await expect(client.socket.sendMessage(toBob, content)).rejects.toThrow(/upload failed/);
      const { auth, hosts } = await client.socket.refreshMediaConn(true);
      expect(hosts).toEqual([{ hostname: new URL(whatsapp.url).host, maxContentLengthBytes: 1000 }]);
      const put = (query: string) => post(client, `https://${hosts[0]?.hostname}/mms/document/${query}`);
      expect(await put("abc?auth=none&token=abc")).toBe(401);
      expect(await put(`abc?auth=${encodeURIComponent(auth)}&token=abc`)).toBe(400);
      const hash = createHash("sha256").update("body").digest("base64url");
      expect(await put(`${hash}?auth=${encodeURIComponent(auth)}&token=${hash}`)).toBe(200);
    }));
});

describe("acknowledgements and receipts", () => {
  test("are held until they are released", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      await admin(`POST /people/${ann}/behaviour`, { acks: "held" });
      await admin(`POST /people/${bob}/behaviour`, { deliveries: "held" });
      // The client's automatic messages, e.g. to the account's own phone, are acknowledged too.
      const acks: string[] = [];
      client.socket.ws.on("CB:ack,class:message", ({ attrs }: { attrs: { id: string } }) => {
        acks.push(attrs.id);
      });
      const sent = await client.socket.sendMessage(toBob, { text: "one" });
      const id = sent?.key.id ?? "";
      await bobGets(1);
      expect(await admin(`GET /sent?message_id=${id}`)).toMatchObject({ items: [{ ack: "held" }] });
      expect(acks).not.toContain(id);
      await admin(`POST /people/${ann}/acks`);
      await expect.poll(() => acks).toContain(id);
      // The receipt of the account's own phone may have arrived by now; Bob's must not.
      const statuses = client
        .all("messages.update")
        .flatMap((updates) => updates.map(({ update }) => update.status));
      expect(statuses.filter((each) => Number(each) >= 3)).toEqual([]);
      await admin(`POST /people/${bob}/deliveries`, { message_id: id });
      await status(client, id, 3);
    }));

  const refusals: readonly (readonly [string, object, number])[] = [
    ["a restricted account", { to: bob, error_code: 463 }, 463],
    ["a stale device", { phone: ann, error_code: 479 }, 479],
  ];
  test.each(refusals)("%s", (_, fault, code) =>
    withLinked(async ({ client, admin }) => {
      await admin("POST /faults", fault);
      const sent = await client.socket.sendMessage(toBob, { text: "one" });
      const id = sent?.key.id ?? "";
      expect((await status(client, id, 0))[0]).toBe(String(code));
      expect(await admin("GET /sent")).toMatchObject({ items: [{ ack: String(code), recipients: [] }] });
      expect(await admin(`GET /people/${bob}/inbox`)).toMatchObject({ count: 0 });
    }),
  );

  test("a restricted account can still reply", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      await admin(`POST /people/${ann}/restrictions`, { seconds: 3600 });
      const { message_id } = await admin(`POST /people/${eve}/messages`, { to: ann, text: "hi" });
      await client.message(String(message_id));
      await client.socket.sendMessage(`${eve}@s.whatsapp.net`, { text: "answer" });
      const first = await client.socket.sendMessage(toBob, { text: "a new chat" });
      await status(client, first?.key.id ?? "", 0);
      expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: true });
      await admin(`POST /people/${ann}/restrictions`, { seconds: 0 });
      await client.socket.sendMessage(toBob, { text: "later" });
      expect(await bobGets(1)).toMatchObject([{ text: "later" }]);
      expect(await admin("GET /sent")).toMatchObject({
        items: [{ ack: "sent" }, { ack: "463" }, { ack: "sent" }],
      });
    }));

  test("a lost acknowledgement of a delivered message; a repeated id is shown once", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      await admin("POST /faults", { to: bob });
      const messageId = "3EB0000000000000000001";
      await client.socket.sendMessage(toBob, { text: "one" }, { messageId });
      await client.socket.sendMessage(toBob, { text: "one" }, { messageId });
      expect(await bobGets(2)).toMatchObject([{ duplicate: false }, { duplicate: true }]);
      expect(await admin("GET /sent")).toMatchObject({ items: [{ ack: "lost" }, { ack: "sent" }] });
      expect((await admin(`GET /people/${bob}/chats/${ann}/messages`))["items"]).toHaveLength(1);
    }));
});

describe("undecryptable messages", () => {
  test("a phone that lost its sessions requests a message again and gets it", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      await client.socket.sendMessage(toBob, { text: "one" });
      await bobGets(1);
      await admin(`POST /people/${bob}/messages`, { to: ann, text: "hi" });
      await client.next("messages.upsert", ({ messages }) =>
        messages.find(({ message }) => message?.conversation === "hi"),
      );
      await admin(`POST /people/${bob}/forgets`);
      await client.socket.sendMessage(toBob, { text: "two" });
      expect(await bobGets(2, "&after=1")).toMatchObject([
        { kind: "unreadable", problem: "no session", message: null },
        { kind: "text", text: "two", encryption: "pkmsg" },
      ]);
    }));

  test("a phone with new keys gets messages as soon as the device knows the keys", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      await client.socket.sendMessage(toBob, { text: "one" });
      await bobGets(1);
      await admin(`POST /people/${bob}/reinstallations`);
      await admin("GET /acks?class=notification&count=1");
      await client.socket.sendMessage(toBob, { text: "two" });
      const items = await bobGets(1, "&after=1&kind=text");
      expect(items).toMatchObject([{ text: "two", encryption: "pkmsg", problem: null }]);
    }));

  test("messages in transit to a phone can be decrypted, although the device queried it meanwhile", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      await client.socket.sendMessage(toBob, { text: "one" });
      await bobGets(1);
      const spoilt = { to: ann, text: "spoilt", corrupt: true, repeatable: false };
      await admin(`POST /people/${bob}/messages`, spoilt);
      await admin("GET /receipts?type=retry&count=1");
      await client.socket.sendMessage(toBob, { text: "two" });
      expect(await bobGets(2)).toMatchObject([{ text: "one" }, { text: "two", encryption: "pkmsg" }]);
    }));

  test("a phone requests a message five times at most, from the second time on with keys", () =>
    withLinked(async ({ client, bobGets }) => {
      const asked = retriesSeenBy(client);
      for (let time = 0; time < 7; time++) await sendRaw(client, "UNREADABLE", garbage);
      await bobGets(7);
      // Anything that follows arrives before the response.
      await client.socket.onWhatsApp(bob);
      expect(asked.map(({ count }) => count)).toEqual(["1", "2", "3", "4", "5"]);
      expect(asked.map(({ hasKeys }) => hasKeys)).toEqual([false, true, true, true, true]);
    }));

  test("the keys in the request start a session that the phone can decrypt", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      const sent = await client.socket.sendMessage(toBob, { text: "one" });
      await bobGets(1);
      await admin(`POST /people/${bob}/retries`, { message_id: sent?.key.id, count: 2 });
      expect(await bobGets(2)).toMatchObject([{ text: "one" }, { text: "one", encryption: "pkmsg" }]);
    }));

  test("a phone silently drops what it has already decrypted, whatever its id", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      await client.socket.sendMessage(toBob, { text: "one" });
      await admin(`POST /people/${bob}/messages`, { to: ann, text: "hi" });
      await client.next("messages.upsert", ({ messages }) =>
        messages.find(({ message }) => message?.conversation === "hi"),
      );
      const asked = retriesSeenBy(client);
      const { nodes } = await client.socket.createParticipantNodes([toBob], { conversation: "two" });
      for (const id of ["FIRST", "SECOND"]) await sendRaw(client, id, nodes);
      expect(await bobGets(2, "&after=1")).toMatchObject([
        { message_id: "FIRST", text: "two" },
        { message_id: "SECOND", kind: "unreadable", problem: "this message was read before" },
      ]);
      await client.socket.onWhatsApp(bob);
      expect(asked).toEqual([]);
    }));

  test("a message requested again although it was decrypted", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      const sent = await client.socket.sendMessage(toBob, { text: "one" });
      await bobGets(1);
      await admin(`POST /people/${bob}/retries`, { message_id: sent?.key.id });
      expect(await bobGets(2)).toMatchObject([{ duplicate: false }, { text: "one", duplicate: true }]);
    }));
});

describe("other devices", () => {
  test("a contact's new device gets messages, its former one no longer", () =>
    withLinked(async ({ client, admin, link }) => {
      await client.socket.sendMessage(toBob, { text: "one" });
      await link(bob);
      await admin(`GET /acks?phone=${ann}&class=notification&count=1`);
      await client.socket.sendMessage(toBob, { text: "two" });
      await admin(`DELETE /people/${bob}/devices/1`);
      await admin(`GET /acks?phone=${ann}&class=notification&count=2`);
      await client.socket.sendMessage(toBob, { text: "three" });
      const { items } = await admin(`GET /sent?from=${ann}&count=3`);
      const devicesOf = (index: number) => {
        const recipients: unknown = items?.[index]?.["recipients"];
        return Array.isArray(recipients) ? recipients.map(({ device }: { device: number }) => device) : [];
      };
      const devices = [0, 1, 2].map(devicesOf);
      expect(devices).toEqual([
        [0, 0],
        [0, 0, 1],
        [0, 0],
      ]);
    }));
});

describe("groups", () => {
  const newGroup = (admin: Kit["admin"]) =>
    admin("POST /groups", { subject: "Team", creator: bob, participants: [ann, eve] });

  test("a text for all, encrypted once; each member gets the key", () =>
    withLinked(async ({ client, admin, bobGets }) => {
      const { id } = await newGroup(admin);
      const group = String(id);
      const { subject, participants } = await client.socket.groupMetadata(group);
      expect([subject, participants.map(({ phoneNumber }) => phoneNumber)]).toEqual([
        "Team",
        [toBob, `${ann}@s.whatsapp.net`, `${eve}@s.whatsapp.net`],
      ]);
      await client.socket.sendMessage(group, { text: "hello team" });
      await client.socket.sendMessage(group, { text: "again" });
      expect(await bobGets(2)).toMatchObject([
        { from: ann, chat: group, text: "hello team", encryption: "skmsg" },
        { chat: group, text: "again", encryption: "skmsg" },
      ]);
      await admin(`POST /people/${eve}/forgets`);
      await client.socket.sendMessage(group, { text: "third" });
      const eves = await admin(`GET /people/${eve}/inbox?after=2&count=2`);
      expect(eves).toMatchObject({
        complete: true,
        items: [{ problem: "no sender key" }, { chat: group, text: "third" }],
      });
    }));

  test("people outside the group are refused", () =>
    withLinked(async ({ client, admin }) => {
      const { id } = await newGroup(admin);
      await client.socket.groupMetadata(String(id));
      await admin(`POST /groups/${id}/changes`, { action: "remove", participants: [ann] });
      await expect(client.socket.groupMetadata(String(id))).rejects.toThrow("forbidden");
      expect(await client.socket.groupFetchAllParticipating()).toEqual({});
    }));
});

describe("strictness", () => {
  test("unknown namespaces get 501 and are counted", () =>
    withLinked(async ({ client, admin }) => {
      await expect(client.socket.getBotListV2()).rejects.toThrow("feature-not-implemented");
      expect(await admin("GET /iqs?unknown=true")).toMatchObject({
        count: 1,
        items: [{ xmlns: "bot", error: 501 }],
      });
    }));

  test("what is known about an account: its text, and that it is no business and follows no channel", () =>
    withLinked(async ({ client, admin }) => {
      const { socket } = client;
      const toAnn = `${ann}@s.whatsapp.net`;
      await socket.updateProfileStatus("Back on Monday");
      expect(await socket.fetchStatus(toAnn, toBob)).toMatchObject([
        { id: toAnn, status: { status: "Back on Monday" } },
        { id: toBob, status: { status: null } },
      ]);
      expect(await admin(`GET /people/${ann}`)).toMatchObject({ about: "Back on Monday" });
      await expect(socket.updateProfileStatus("x".repeat(140))).rejects.toThrow("not-acceptable");
      expect(await socket.getBusinessProfile(toBob)).toBeUndefined();
      await expect(socket.subscribeNewsletterUpdates("1@newsletter")).rejects.toThrow("item-not-found");
      await expect(socket.query(iqOf("w:biz", "verified_name"))).rejects.toThrow("item-not-found");
      expect(await socket.query(iqOf("newsletter", "my_addons"))).toMatchObject({
        attrs: { type: "result" },
      });
      expect(await socket.query(iqOf("urn:xmpp:ping", "ping"))).toMatchObject({ attrs: { type: "result" } });
    }));

  test("configured failures of queries", () =>
    withLinked(async ({ client, admin }) => {
      await admin("POST /faults", { xmlns: "usync", error_code: 429 });
      await expect(client.socket.onWhatsApp(bob)).rejects.toThrow("rate-overlimit");
      expect(await client.socket.onWhatsApp(bob)).toHaveLength(1);
    }));

  test("one-time keys are used up, requested, and refilled", () =>
    withLinked(async ({ client, admin }) => {
      await admin(`POST /people/${ann}/devices/1/pre_keys`, { keep: 3 });
      await admin(`GET /iqs?xmlns=encrypt&type=set&count=2`);
      expect(await admin(`GET /people/${ann}/devices/1`)).toMatchObject({ pre_keys: 8 });
      expect(await digestOf(client)).toEqual(await hashOfKeys(client));
      await client.socket.rotateSignedPreKey();
      expect(await admin("GET /iqs?what=rotate")).toMatchObject({ items: [{ error: null }] });
      await expect(client.socket.query(rotation(Buffer.alloc(64)))).rejects.toThrow("not-acceptable");
    }));
});

/** The hash of the device's keys as the server has them. */
async function digestOf({ socket }: Client): Promise<Buffer | undefined> {
  const answer = await socket.query(iqOf("encrypt", "digest"));
  return bytesOf(child(child(answer, "digest"), "hash"));
}

/** The same of the client's own keys: identity, signed pre-key with its signature, and all one-time keys. */
async function hashOfKeys({ socket, state }: Client): Promise<Buffer> {
  const { signedIdentityKey, signedPreKey } = state.creds;
  const answer = await socket.query(iqOf("encrypt", "digest"));
  const ids = children(child(child(answer, "digest"), "list")).map(
    (id) => bytesOf(id)?.readUIntBE(0, 3) ?? 0,
  );
  const preKeys = await state.keys.get("pre-key", ids.map(String));
  const hash = createHash("sha1").update(signedIdentityKey.public);
  hash.update(signedPreKey.keyPair.public).update(signedPreKey.signature);
  for (const id of ids) hash.update(preKeys[id]?.public ?? "missing");
  return hash.digest();
}

function iqOf(xmlns: string, tag: string): BinaryNode {
  return { tag: "iq", attrs: { to: "@s.whatsapp.net", type: "get", xmlns }, content: [{ tag, attrs: {} }] };
}

/** A new signed pre-key with a signature of the test's choice. */
function rotation(signature: Buffer): BinaryNode {
  const leaf = (tag: string, content: Buffer) => ({ tag, attrs: {}, content });
  const parts = [
    leaf("id", Buffer.of(0, 0, 9)),
    leaf("value", Buffer.alloc(32, 9)),
    leaf("signature", signature),
  ];
  const rotate = { tag: "rotate", attrs: {}, content: [{ tag: "skey", attrs: {}, content: parts }] };
  return { tag: "iq", attrs: { to: "@s.whatsapp.net", type: "set", xmlns: "encrypt" }, content: [rotate] };
}

function post(client: Client, url: string): Promise<number | undefined> {
  const { agent } = client;
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", agent }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on("error", reject);
    call.end("body");
  });
}
