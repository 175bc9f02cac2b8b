import { downloadMediaMessage, getContentType, normalizeMessageContent, type WAMessage } from "baileys";
import { describe, expect, test } from "vitest";
import type { Json } from "../test-kit.ts";
import { type Client, type Kit, withWhatsapp } from "./test-kit.ts";

const [ann, bob, eve] = ["79990000001", "79990000002", "79990000003"] as const;
const [annJid, bobJid] = [`${ann}@s.whatsapp.net`, `${bob}@s.whatsapp.net`];
const bobLid = "90000000000000@lid";

interface Stage extends Kit {
  readonly client: Client;
  /** Bob writes to Ann; the message as her client shows it. */
  readonly bobWrites: (body: object) => Promise<WAMessage>;
  /** Resolves when the client has acknowledged everything. */
  readonly confirmed: () => Promise<void>;
}

function withLinked(run: (stage: Stage) => Promise<void>): Promise<void> {
  return withWhatsapp(async (kit) => {
    await kit.admin("POST /people", { phone: bob, name: "Bob" });
    await kit.admin("POST /people", { phone: eve, name: "Eve" });
    const client = await kit.link(ann);
    const confirmed = () =>
      expect.poll(() => kit.admin(`GET /people/${ann}/devices/1`)).toMatchObject({ pending: 0 });
    const bobWrites = async (body: object) => {
      const { message_id } = await kit.admin(`POST /people/${bob}/messages`, { to: ann, ...body });
      return client.message(String(message_id));
    };
    await run({ ...kit, client, bobWrites, confirmed });
  });
}

describe("data received by a linked device", () => {
  test("every kind of content", () =>
    withLinked(async ({ bobWrites }) => {
      const kinds: readonly (readonly [body: object, type: string, part: object])[] = [
        [{ text: "hello" }, "conversation", {}],
        [{ text: "see https://example.org" }, "extendedTextMessage", { text: "see https://example.org" }],
        [{ kind: "image", caption: "Sun" }, "imageMessage", { mimetype: "image/jpeg", caption: "Sun" }],
        [{ kind: "video" }, "videoMessage", { mimetype: "video/mp4" }],
        [{ kind: "gif" }, "videoMessage", { gifPlayback: true }],
        [{ kind: "video_note" }, "ptvMessage", {}],
        [{ kind: "voice" }, "audioMessage", { ptt: true, mimetype: "audio/ogg; codecs=opus" }],
        [{ kind: "document", file: { name: "a.pdf" } }, "documentMessage", { fileName: "a.pdf" }],
        [{ kind: "document", text: "Offer" }, "documentMessage", { caption: "Offer" }],
        [{ kind: "sticker" }, "stickerMessage", { mimetype: "image/webp" }],
        [
          { kind: "lottie_sticker" },
          "lottieStickerMessage",
          { message: { stickerMessage: { isLottie: true, mimetype: "application/was" } } },
        ],
        [{ kind: "contact" }, "contactMessage", { displayName: "Bob" }],
        [{ kind: "contacts" }, "contactsArrayMessage", {}],
        [{ kind: "location", latitude: 1.5, longitude: 2.5 }, "locationMessage", { degreesLatitude: 1.5 }],
        [{ kind: "live_location" }, "liveLocationMessage", {}],
        [{ kind: "poll", version: 1 }, "pollCreationMessage", {}],
        [
          { kind: "poll", question: "Lunch?", options: ["a", "b"] },
          "pollCreationMessageV3",
          { name: "Lunch?", options: [{ optionName: "a" }, { optionName: "b" }] },
        ],
        [
          { kind: "proto", message: { buttonsResponseMessage: { selectedDisplayText: "Yes" } } },
          "buttonsResponseMessage",
          { selectedDisplayText: "Yes" },
        ],
      ];
      for (const [body, type, part] of kinds) {
        const { message, pushName, key } = await bobWrites(body);
        const content = normalizeMessageContent(message) ?? {};
        expect(getContentType(content), JSON.stringify(body)).toBe(type);
        expect([pushName, key.remoteJid, key.remoteJidAlt]).toEqual(["Bob", bobJid, bobLid]);
        if (type !== "conversation") expect(content[type as keyof typeof content]).toMatchObject(part);
      }
    }));

  test("files can be downloaded and decrypted, only by their URL", () =>
    withLinked(async ({ client, whatsapp, bobWrites }) => {
      const bytes = Buffer.alloc(3000, "abc");
      const message = await bobWrites({ kind: "document", file: { base64: bytes.toString("base64") } });
      const { url = "", directPath = "" } = message.message?.documentMessage ?? {};
      expect(url).toBe(`https://${new URL(whatsapp.url).host}${directPath}`);
      const sealed = await client.fetch(String(url));
      expect([sealed.status, sealed.body.length]).toEqual([200, 3008 + 10]);
      expect((await client.fetch(String(url).replace(/oh=.*/, "oh=0"))).status).toBe(403);
      expect((await client.fetch(String(url).replace("/v/t62.7118-24/", "/v/t62.7118-24/x"))).status).toBe(
        404,
      );
      const plain = await client.withFetch(() => downloadMediaMessage(message, "buffer", {}));
      expect(plain).toEqual(bytes);
    }));

  test("edits, deletions, reactions, quotes and a view-once message that only the phone gets", () =>
    withLinked(async ({ admin, client, bobWrites }) => {
      const { key } = await bobWrites({ text: "one" });
      const id = key.id ?? "";
      await admin(`POST /people/${bob}/edits`, { message_id: id, text: "one, edited", plain: true });
      const edited = await client.next("messages.update", (updates) =>
        updates.find(({ update }) => update.message?.editedMessage),
      );
      expect(edited).toMatchObject({
        key: { id },
        update: { message: { editedMessage: { message: { conversation: "one, edited" } } } },
      });
      const { message_id } = await admin(`POST /people/${bob}/edits`, { message_id: id, text: "sealed" });
      const { secretEncryptedMessage } = (await client.message(String(message_id))).message ?? {};
      expect(secretEncryptedMessage).toMatchObject({ targetMessageKey: { id }, secretEncType: 2 });
      await admin(`POST /people/${bob}/reactions`, { message_id: id, emoji: "🔥" });
      const [reaction] = await client.next("messages.reaction", (reactions) => reactions);
      expect(reaction).toMatchObject({ key: { id }, reaction: { text: "🔥" } });
      const quoting = await bobWrites({ text: "two", reply_to: id });
      expect(quoting.message?.extendedTextMessage?.contextInfo?.stanzaId).toBe(id);
      await admin(`POST /people/${bob}/deletions`, { message_id: id });
      await client.next("messages.update", (updates) =>
        updates.find(({ key: { id: each }, update }) => each === id && update.messageStubType === 1),
      );
      const once = await bobWrites({ kind: "view_once" });
      expect([once.key.isViewOnce, once.message]).toEqual([true, undefined]);
    }));

  test("senders known by their LID, with and without the number", () =>
    withLinked(async ({ bobWrites, client, confirmed }) => {
      const unknown = await bobWrites({ text: "one", addressing: "lid_only" });
      expect(unknown.key).toMatchObject({ remoteJid: bobLid, remoteJidAlt: undefined });
      const known = await bobWrites({ text: "two", addressing: "lid" });
      expect(known.key).toMatchObject({ remoteJid: bobLid, remoteJidAlt: bobJid });
      expect(await client.socket.signalRepository.lidMapping.getPNForLID(bobLid)).toMatch(`${bob}`);
      const plain = await bobWrites({ text: "three" });
      expect(plain.key).toMatchObject({ remoteJid: bobJid, remoteJidAlt: bobLid });
      await confirmed();
    }));

  test("messages that the owner writes on the phone", () =>
    withLinked(async ({ admin, client, confirmed }) => {
      const written = await admin(`POST /people/${ann}/messages`, { to: bob, text: "from my phone" });
      const echo = await client.message(String(written["message_id"]));
      expect(echo).toMatchObject({
        key: { fromMe: true, remoteJid: bobJid },
        message: { conversation: "from my phone" },
      });
      expect(await admin(`GET /people/${bob}/inbox`)).toMatchObject({ items: [{ from: ann, device: 0 }] });
      const receipt = await admin(`GET /receipts?message_id=${written["message_id"]}&count=1`);
      expect(receipt).toMatchObject({ items: [{ type: "sender" }] });
      await admin(`POST /people/${ann}/messages`, { to: bob, text: "under my hidden id", addressing: "lid" });
      await confirmed();
    }));

  test("messages that the owner edits, deletes and reads on the phone", () =>
    withLinked(async ({ admin, client, bobWrites }) => {
      const sent = await client.socket.sendMessage(bobJid, { text: "from the device" });
      const id = String(sent?.key.id);
      await admin(`GET /people/${ann}/inbox?message_id=${id}&count=1`);
      await admin(`POST /people/${ann}/edits`, { message_id: id, text: "changed on the phone" });
      const edited = await client.next("messages.update", (updates) =>
        updates.find(({ update }) => update.message?.editedMessage),
      );
      expect(edited).toMatchObject({
        key: { id, fromMe: true, remoteJid: bobJid },
        update: { message: { editedMessage: { message: { conversation: "changed on the phone" } } } },
      });
      await admin(`POST /people/${ann}/deletions`, { message_id: id });
      await client.next("messages.update", (updates) =>
        updates.find(({ update }) => update.messageStubType === 1),
      );
      expect(await admin(`GET /people/${bob}/chats/${ann}/messages`)).toMatchObject({
        items: [{ text: "changed on the phone", deleted: true }],
      });
      const { key } = await bobWrites({ text: "for Ann" });
      expect(await admin(`POST /people/${ann}/reads`)).toEqual({ message_ids: [key.id] });
      const read = await client.next("messages.update", (updates) =>
        updates.find((each) => each.key.id === key.id && each.update.status === 4),
      );
      expect(read.key).toMatchObject({ remoteJid: bobJid, fromMe: false });
    }));

  test("profile pictures, and their changes", () =>
    withLinked(async ({ admin, client, bobWrites }) => {
      await bobWrites({ text: "hello" });
      await expect(client.socket.profilePictureUrl(bobJid)).rejects.toThrow("item-not-found");
      const bytes = Buffer.from("a picture");
      await admin(`POST /people/${bob}/photos`, { base64: bytes.toString("base64") });
      await client.next("contacts.update", (updates) => updates.find(({ imgUrl }) => imgUrl === "changed"));
      const url = await client.socket.profilePictureUrl(bobLid, "image");
      expect(await client.fetch(String(url))).toEqual({ status: 200, body: bytes });
      await admin(`DELETE /people/${bob}/photos`);
      await client.next("contacts.update", (updates) => updates.find(({ imgUrl }) => imgUrl === "removed"));
    }));

  test("missed calls", () =>
    withLinked(async ({ admin, client }) => {
      const call = async (reason: string, status: string) => {
        const { call_id } = await admin(`POST /people/${bob}/calls`, { to: ann, video: true });
        const find = (wanted: string) =>
          client.next("call", (calls) =>
            calls.find(({ id, status: each }) => id === String(call_id) && each === wanted),
          );
        expect(await find("offer")).toMatchObject({ from: bobLid, callerPn: bobJid, isVideo: true });
        await admin(`POST /people/${bob}/calls/${call_id}/ends`, { to: ann, reason });
        await find(status);
      };
      await call("timeout", "timeout");
      await call("terminate", "terminate");
      await call("reject", "terminate");
      await call("accept", "terminate");
    }));

  test("typing, and read receipts", () =>
    withLinked(async ({ admin, client, bobWrites }) => {
      await admin(`POST /people/${bob}/typing`, { to: ann });
      await client.next("presence.update", ({ presences }) => Object.values(presences)[0]);
      const { key } = await bobWrites({ text: "one" });
      await client.socket.readMessages([key]);
      const read = await admin(`GET /receipts?type=read&count=1`);
      expect(read).toMatchObject({ items: [{ to: bobJid, message_ids: [key.id] }] });
      expect(await admin(`GET /people/${bob}/chats/${ann}/messages`)).toMatchObject({
        items: [{ text: "one", read_by: [ann] }],
      });
    }));
});

describe("undecryptable and repeated messages", () => {
  test("it requests the message again and gets it", () =>
    withLinked(async ({ admin, client, bobWrites }) => {
      await bobWrites({ text: "before" });
      const spoilt = await bobWrites({ text: "spoilt", corrupt: true });
      const id = spoilt.key.id ?? "";
      const readable = await client.next("messages.upsert", ({ messages }) =>
        messages.find(({ key, message }) => key.id === String(id) && message?.conversation === "spoilt"),
      );
      expect(readable.key.remoteJid).toBe(bobJid);
      expect(await admin(`GET /receipts?type=retry`)).toMatchObject({ items: [{ message_ids: [id] }] });
      const lost = await admin(`POST /people/${bob}/messages`, {
        to: ann,
        text: "x",
        corrupt: true,
        repeatable: false,
      });
      await admin(`GET /receipts?type=retry&message_id=${lost["message_id"]}&count=1`);
    }));

  test("two conversations of a person may have messages with the same id", () =>
    withLinked(async ({ admin, client }) => {
      const theirs = { message_id: "3EB0SAME", corrupt: true };
      await admin(`POST /people/${ann}/devices/any/freezes`);
      await admin(`POST /people/${bob}/messages`, { to: ann, text: "for Ann", ...theirs });
      await admin("POST /people", { phone: "79990000009" });
      await admin(`POST /people/${bob}/messages`, { to: "79990000009", text: "for another", ...theirs });
      await admin(`POST /people/${ann}/devices/any/thaws`);
      const again = await client.next("messages.upsert", ({ messages }) =>
        messages.find(({ key, message }) => key.id === "3EB0SAME" && message?.conversation != null),
      );
      expect(again.message?.conversation).toBe("for Ann");
    }));

  test("a receipt confirms the right author's message if another's has the same id", () =>
    withLinked(async ({ admin, client, open }) => {
      client.socket.ws.removeAllListeners("CB:message");
      for (const author of [bob, eve])
        await admin(`POST /people/${author}/messages`, {
          to: ann,
          text: `of ${author}`,
          message_id: "3EB0SAME",
        });
      await client.socket.sendReceipt(`${eve}@s.whatsapp.net`, undefined, ["3EB0SAME"], undefined);
      await admin(`GET /receipts?message_id=3EB0SAME&count=1`);
      client.close();
      const { message } = await open(client.state).message("3EB0SAME");
      expect(message?.conversation).toBe(`of ${bob}`);
    }));

  test("a repeated message has the same id", () =>
    withLinked(async ({ admin, client, bobWrites }) => {
      const { key } = await bobWrites({ text: "one" });
      await admin(`POST /people/${bob}/messages`, { to: ann, text: "one", message_id: key.id });
      await expect
        .poll(() =>
          client
            .all("messages.upsert")
            .flatMap(({ messages }) => messages)
            .filter((each) => each.key.id === key.id),
        )
        .toHaveLength(2);
      expect((await admin(`GET /people/${ann}/chats/${bob}/messages`))["items"]).toHaveLength(1);
    }));

  test("messages sent while it was offline, once; unacknowledged ones, again", () =>
    withLinked(async ({ admin, client, confirmed, open }) => {
      client.close();
      await admin(`GET /events?event=closed&phone=${ann}&count=1`);
      const ids: string[] = [];
      for (const text of ["one", "two"])
        ids.push(String((await admin(`POST /people/${bob}/messages`, { to: ann, text }))["message_id"]));
      await admin(`POST /people/${bob}/calls`, { to: ann });
      const again = open(client.state);
      await again.ready();
      const got = () =>
        again
          .all("messages.upsert")
          .flatMap(({ type, messages }) => messages.map(({ key }) => [type, key.id]));
      await expect.poll(got).toEqual(ids.map((id) => ["append", id]));
      await confirmed();
      expect(await admin(`GET /events?event=ready`)).toMatchObject({
        items: [{ detail: "0" }, { detail: "3" }],
      });
    }));
});

describe("groups", () => {
  const newGroup = async (admin: Kit["admin"]) =>
    String((await admin("POST /groups", { subject: "Team", creator: bob, participants: [ann, eve] }))["id"]);

  test("texts of members, and their senders", () =>
    withLinked(async ({ admin, client, confirmed }) => {
      const group = await newGroup(admin);
      await client.next("groups.upsert", ([each]) => (each?.subject === "Team" ? each : undefined));
      const write = async (from: string, body: object) => {
        const written = await admin(`POST /people/${from}/messages`, { to: group, ...body });
        return client.message(String(written["message_id"]));
      };
      const first = await write(bob, { text: "one" });
      expect(first).toMatchObject({
        key: { remoteJid: group, participant: bobLid, participantAlt: bobJid },
        message: { conversation: "one" },
      });
      const second = await write(eve, { text: "two", addressing: "lid_only" });
      expect(second.key.participantAlt).toBeUndefined();
      expect((await write(bob, { text: "three" })).message?.conversation).toBe("three");
      const own = await write(ann, { text: "mine" });
      expect(own).toMatchObject({
        key: { fromMe: true, remoteJid: group },
        message: { conversation: "mine" },
      });
      const inbox = await admin(`GET /people/${eve}/inbox?chat=${group}`);
      expect(inbox).toMatchObject({
        items: [{ text: "one" }, { text: "three" }, { text: "mine" }],
      });
      await confirmed();
    }));

  test("an undecryptable text is requested again, with its key", () =>
    withLinked(async ({ admin, client }) => {
      const group = await newGroup(admin);
      const body = { to: group, text: "spoilt", corrupt: true };
      const { message_id: id } = await admin(`POST /people/${bob}/messages`, body);
      const readable = await client.next("messages.upsert", ({ messages }) =>
        messages.find(({ key, message }) => key.id === String(id) && message?.conversation === "spoilt"),
      );
      expect(readable.key.participant).toBe(bobLid);
    }));

  test("an administrator can delete another's message, a member cannot", () =>
    withLinked(async ({ admin, refused, client }) => {
      const group = await newGroup(admin);
      const { message_id: id } = await admin(`POST /people/${eve}/messages`, { to: group, text: "spam" });
      await client.message(String(id));
      expect(await refused(`POST /people/${ann}/deletions`, { message_id: id })).toBe("409 not_own");
      await admin(`POST /people/${bob}/deletions`, { message_id: id });
      const deleted = await client.next("messages.update", (updates) =>
        updates.find(({ update }) => update.messageStubType === 1),
      );
      expect(deleted.key).toMatchObject({ id: String(id), remoteJid: group });
      const seen = await admin(`GET /people/${ann}/chats/${group}/messages`);
      expect(seen).toMatchObject({ items: [{ text: "spam", deleted: true }] });
    }));

  test("joins, departures, and a new name", () =>
    withLinked(async ({ admin, client }) => {
      const group = await newGroup(admin);
      const change = (body: object) => admin(`POST /groups/${group}/changes`, body);
      const said = (action: string) =>
        client.next("group-participants.update", (update) => (update.action === action ? update : undefined));
      await change({ action: "promote", participants: [eve] });
      expect((await said("promote")).participants).toMatchObject([{ phoneNumber: `${eve}@s.whatsapp.net` }]);
      await change({ action: "remove", participants: [eve] });
      await said("remove");
      await change({ action: "subject", value: "New name" });
      await client.next("groups.update", ([each]) => (each?.subject === "New name" ? each : undefined));
      const metadata = await client.socket.groupMetadata(group);
      expect(metadata.participants.map(({ phoneNumber }) => phoneNumber)).toEqual([bobJid, annJid]);
      expect(metadata.subjectOwner).toBe(bobLid);
    }));

  test("a picture, and its removal", () =>
    withLinked(async ({ admin, client }) => {
      const group = await newGroup(admin);
      const icon = (isGone: boolean) =>
        client.next("messages.upsert", ({ messages }) =>
          messages.find(
            ({ messageStubType, messageStubParameters }) =>
              messageStubType === 22 && (messageStubParameters?.length === 0) === isGone,
          ),
        );
      const bytes = Buffer.from("a picture of all");
      await admin(`POST /groups/${group}/photos`, { base64: bytes.toString("base64") });
      expect((await icon(false)).key).toMatchObject({ remoteJid: group, participant: bobLid });
      const url = await client.socket.profilePictureUrl(group, "image");
      expect(await client.fetch(String(url))).toEqual({ status: 200, body: bytes });
      await admin(`DELETE /groups/${group}/photos`);
      await icon(true);
      await expect(client.socket.profilePictureUrl(group)).rejects.toThrow("item-not-found");
    }));
});

describe("two linked devices", () => {
  test("write to each other with end-to-end encryption", () =>
    withLinked(async ({ admin, client, link }) => {
      const other = await link(eve);
      const sent = await client.socket.sendMessage(`${eve}@s.whatsapp.net`, { text: "device to device" });
      const id = sent?.key.id ?? "";
      const got = await other.message(id);
      expect(got).toMatchObject({
        key: { remoteJid: annJid },
        message: { extendedTextMessage: { text: "device to device" } },
      });
      const records = (await admin(`GET /sent?message_id=${id}`))["items"] as Json;
      expect(records[0]?.["recipients"]).toContainEqual(
        expect.objectContaining({ phone: eve, device: 1, text: null }),
      );
      const second = await link(ann);
      await second.socket.sendMessage(bobJid, { text: "from the second" });
      const echo = await client.next("messages.upsert", ({ messages }) =>
        messages.find(({ message }) => message?.extendedTextMessage?.text === "from the second"),
      );
      expect(echo.key).toMatchObject({ fromMe: true, remoteJid: bobJid });
    }));
});
