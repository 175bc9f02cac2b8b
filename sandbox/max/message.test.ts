import { expect, test } from "vitest";
import { type Json, pngFile, sendForm } from "../test-kit.ts";
import { opcode } from "./opcode.ts";
import { ann, bob, type Kit, withMax, zoe } from "./test-kit.ts";

/** Ann's and Bob's clients, and the number of their dialogue. */
async function pair({ link, idOf }: Kit) {
  const [anns, bobs] = [await link(ann), await link(bob, { deviceId: "device-2", form: "json" })];
  const [annId, bobId] = [await idOf(ann), await idOf(bob)];
  return { anns, bobs, annId, bobId, chatId: Number(BigInt(annId) ^ BigInt(bobId)) };
}

test("edits, deletions, reactions and read marks reach the other side", async () => {
  await withMax(async (kit) => {
    const { anns, bobs, annId, bobId, chatId } = await pair(kit);
    const sent = await anns.text(chatId, "first");
    const messageId = String(sent["message"]?.["id"]);
    await bobs.next(opcode.notifMessage);

    const edited = await anns.call(opcode.msgEdit, { chatId, messageId, text: "second", elements: [] });
    expect(edited["message"]).toMatchObject({ text: "second", status: "EDITED" });
    expect(await bobs.next(opcode.notifMessage)).toMatchObject({
      message: { id: messageId, text: "second", status: "EDITED" },
    });

    const reaction = { reactionType: "EMOJI", id: "👍" };
    const reacted = await bobs.call(opcode.msgReaction, { chatId, messageId, reaction });
    expect(reacted["reactionInfo"]).toMatchObject({ totalCount: 1, yourReaction: "👍" });
    expect(await anns.next(opcode.notifReactions)).toMatchObject({
      chatId,
      totalCount: 1,
      counters: [{ count: 1, reaction: "👍" }],
    });
    await anns.call(opcode.msgReaction, { chatId, messageId, reaction: { ...reaction, id: "🔥" } });
    expect(await bobs.next(opcode.notifReactions)).not.toHaveProperty("yourReaction");
    const detailed = await anns.call(opcode.msgGetDetailedReactions, { chatId, messageId, count: 100 });
    expect(detailed["reactions"]).toEqual([
      { userId: bobId, reaction: "👍" },
      { userId: annId, reaction: "🔥" },
    ]);
    await anns.call(opcode.msgCancelReaction, { chatId, messageId });
    const listed = await anns.call(opcode.msgGetReactions, { chatId, messageIds: [messageId] });
    expect(listed["messagesReactions"]?.[messageId]).toMatchObject({ totalCount: 1 });
    await bobs.call(opcode.msgCancelReaction, { chatId, messageId });
    expect(await anns.next(opcode.notifReactions)).toMatchObject({ totalCount: 0, counters: [] });

    const mark = Number(sent["message"]?.["time"]);
    const read = await bobs.call(opcode.chatMark, { chatId, messageId, type: "READ_MESSAGE", mark });
    expect(read).toEqual({ unread: 0, mark });
    expect(await anns.next(opcode.notifMark)).toMatchObject({
      chatId,
      userId: bobId,
      mark,
      setAsUnread: false,
    });

    expect(await bobs.refusal(opcode.msgDelete, { chatId, messageIds: [messageId], forMe: false })).toBe(
      "chat.denied",
    );
    await anns.call(opcode.msgDelete, { chatId, messageIds: [messageId], forMe: false });
    expect(await bobs.next(opcode.notifMessage)).toMatchObject({
      message: { id: messageId, status: "REMOVED" },
    });
    expect(await bobs.call(opcode.msgGet, { chatId, messageIds: [messageId] })).toEqual({ messages: [] });
    expect(await anns.refusal(opcode.msgEdit, { chatId, messageId, text: "x" })).toBe("not.found");

    await kit.admin("POST /settings", { deletions: "deleted" });
    const other = await bobs.text(chatId, "soon gone");
    const id = String(other["message"]?.["id"]);
    await bobs.call(opcode.msgDelete, { chatId, messageIds: [id], forMe: false });
    const gone = await anns.next(opcode.notifMsgDelete);
    expect(gone).toMatchObject({ chatId });
    expect(String(gone["messageIds"]?.[0])).toBe(id);
    expect(annId).not.toBe(bobId);
  });
});

test("actions on the phone are pushed to the client, and the client's actions to other clients", async () => {
  await withMax(async (kit) => {
    const { anns, bobs, annId, chatId } = await pair(kit);
    const { admin } = kit;
    const written = await admin(`POST /people/${ann}/messages`, { to: bob, text: "from my phone", cid: 77 });
    expect(await anns.next(opcode.notifMessage)).toMatchObject({
      chatId,
      unread: 0,
      message: { sender: annId, cid: 77, text: "from my phone" },
    });
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "first" });
    await admin(`POST /people/${ann}/reads`, { chat: bob });
    expect(await anns.next(opcode.notifMark)).toMatchObject({ userId: annId, unread: 0 });
    await admin(`POST /people/${ann}/edits`, { message_id: written["message_id"], text: "changed" });
    expect(
      await bobs.next(opcode.notifMessage, ({ message }) => String(message?.["status"]) === "EDITED"),
    ).toMatchObject({
      message: { text: "changed" },
    });
    const second = await kit.link(ann, { deviceId: "device-3" });
    await anns.text(chatId, "from the first client", 99);
    expect(await second.next(opcode.notifMessage)).toMatchObject({ message: { sender: annId, cid: 99 } });
    expect(anns.pushes.filter(({ payload }) => JSON.stringify(payload, plain).includes('"cid":99'))).toEqual(
      [],
    );
    await admin("POST /settings", { echo_own: true });
    await anns.text(chatId, "told to itself", 100);
    expect(
      await anns.next(opcode.notifMessage, ({ message }) => Number(message?.["cid"]) === 100),
    ).toBeDefined();
    await admin(`POST /people/${ann}/deletions`, { message_id: written["message_id"], for_me: true });
    const history = { chatId, from: Date.now() + 60_000, forward: 0, backward: 30, getMessages: true };
    expect((await anns.call(opcode.chatHistory, history))["messages"]).toHaveLength(3);
    expect((await bobs.call(opcode.chatHistory, history))["messages"]).toHaveLength(4);
  });
});

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

test("typing is pushed to subscribers, presence to all contacts", async () => {
  await withMax(async (kit) => {
    const { anns, bobs, bobId, chatId } = await pair(kit);
    const typing = { chatId, type: "TEXT" };
    await bobs.call(opcode.msgTyping, typing);
    await anns.call(opcode.chatSubscribe, { chatId, subscribe: true });
    await bobs.call(opcode.msgTyping, typing);
    expect(await anns.next(opcode.notifTyping)).toMatchObject({ chatId, userId: bobId });
    await kit.admin("POST /time", { advance_seconds: 91 });
    await bobs.call(opcode.msgTyping, typing);
    await kit.admin("POST /settings", { typing_needs_subscription: false });
    await kit.admin(`POST /people/${bob}/typing`, { to: ann });
    await anns.next(opcode.notifTyping);
    await kit.admin(`POST /people/${bob}/presence`, { online: true });
    expect(await anns.next(opcode.notifPresence)).toMatchObject({ userId: bobId, presence: { status: 1 } });
    expect(anns.pushes.filter((frame) => frame.opcode === opcode.notifTyping)).toHaveLength(2);
  });
});

test("people are found by number and phone, added, and blocked", async () => {
  await withMax(async ({ admin, link, idOf }) => {
    const client = await link(ann);
    const [annId, bobId] = [await idOf(ann), await idOf(bob)];
    for (const phone of [bob, `+${bob}`])
      expect(await client.call(opcode.contactInfoByPhone, { phone })).toMatchObject({
        contact: { id: bobId, phone: Number(bob), names: [{ name: "Bob", type: "ONEME" }] },
      });
    const unknown = { phone: "79990009999" };
    expect(await client.refusal(opcode.contactInfoByPhone, unknown)).toBe("not.found");
    await admin("POST /settings", { not_found_as: "empty" });
    expect(await client.exchange(opcode.contactInfoByPhone, unknown)).toMatchObject({
      cmd: 2,
      payload: undefined,
    });
    const { contacts } = await client.call(opcode.contactInfo, { contactIds: [bobId, 1] });
    expect(contacts).toMatchObject([{ id: bobId }]);
    await client.call(opcode.contactUpdate, { contactId: bobId, action: "ADD" });
    expect(await admin(`GET /people/${ann}`)).toMatchObject({ contacts: [bobId] });
    await admin(`POST /people/${bob}/blocks`, { phone: ann });
    const dialog = Number(BigInt(annId) ^ BigInt(bobId));
    const message = { text: "hi", cid: 1, elements: [], attaches: [] };
    expect(await client.refusal(opcode.msgSend, { chatId: dialog, message })).toBe("chat.denied");
    expect(await client.refusal(opcode.msgSend, { chatId: 424_242, message })).toBe("not.found");
    await client.text(0, "a note to myself");
    expect(await admin(`GET /people/${ann}/chats/0/messages`)).toMatchObject({
      items: [{ text: "a note to myself" }],
    });
  });
});

test("groups get pictures and administrators; people who do not allow it are not added", async () => {
  await withMax(async (kit) => {
    const { admin, idOf } = kit;
    const { anns, bobs, bobId } = await pair(kit);
    const zoeId = await idOf(zoe);
    await admin("POST /people", { phone: zoe, inviters: "contacts" });
    const userIds = [bobId, zoeId, 999];
    const attach = { _type: "CONTROL", event: "new", chatType: "CHAT", title: "Team", userIds };
    const made = await anns.call(opcode.msgSend, { message: { cid: 1, attaches: [attach] }, notify: true });
    expect(made["chat"]).toMatchObject({ participantsCount: 2 });
    const chatId = Number(made["chat"]?.["id"]);
    const add = { chatId, userIds: [zoeId], operation: "add", showHistory: true };
    expect((await anns.call(opcode.chatMembersUpdate, add))["chat"]).toMatchObject({ participantsCount: 2 });

    const { url } = await anns.call(opcode.photoUpload, { count: 1, profile: false });
    const photoId = new URL(String(url)).searchParams.get("photoIds") ?? "";
    const { body } = await sendForm(String(url), { file: pngFile(300, 300) });
    const photoToken = body["photos"]?.[photoId]?.["token"];
    const { chat } = await anns.call(opcode.chatUpdate, { chatId, photoToken });
    expect(chat).toMatchObject({ baseIconUrl: expect.stringContaining(String(photoToken)) });
    const isIcon = ({ message }: Json) => String(message?.["attaches"]?.["0"]?.["event"]) === "icon";
    expect(await bobs.next(opcode.notifMessage, isIcon)).toBeDefined();
    const appoint = { chatId, userIds: [bobId], type: "ADMIN", operation: "add", permissions: 123 };
    expect(await bobs.refusal(opcode.chatMembersUpdate, appoint)).toBe("chat.denied");
    expect(await anns.refusal(opcode.chatMembersUpdate, { ...appoint, userIds: [zoeId] })).toBe("not.found");
    await anns.call(opcode.chatMembersUpdate, appoint);
    expect(await admin(`GET /groups/${chatId}`)).toMatchObject({ admins: [ann, bob] });
    await anns.call(opcode.chatMembersUpdate, { ...appoint, operation: "remove", permissions: undefined });
    expect(await admin(`GET /groups/${chatId}`)).toMatchObject({ admins: [ann] });
  });
});

test("groups are created, written in, joined and left", async () => {
  await withMax(async (kit) => {
    const { admin, idOf } = kit;
    const { anns, bobs, annId, bobId } = await pair(kit);
    const zoeId = await idOf(zoe);
    const attach = { _type: "CONTROL", event: "new", chatType: "CHAT", title: "Team", userIds: [bobId] };
    const made = await anns.call(opcode.msgSend, { message: { cid: 1, attaches: [attach] }, notify: true });
    const chatId = Number(made["chat"]?.["id"]);
    expect(made["chat"]).toMatchObject({ type: "CHAT", title: "Team", owner: annId, participantsCount: 2 });
    expect(chatId).toBeLessThan(-1_000_000_000_000);
    expect(await bobs.next(opcode.notifMessage)).toMatchObject({
      chatId,
      message: { attaches: [{ _type: "CONTROL", event: "new", title: "Team" }] },
    });
    await bobs.text(chatId, "hello all");
    expect(await anns.next(opcode.notifMessage)).toMatchObject({ chatId, message: { sender: bobId } });

    const add = { chatId, userIds: [zoeId], operation: "add", showHistory: true };
    expect(await bobs.refusal(opcode.chatMembersUpdate, add)).toBe("chat.denied");
    await anns.call(opcode.chatMembersUpdate, add);
    expect(await bobs.next(opcode.notifChat)).toMatchObject({ chat: { participantsCount: 2 } });
    expect(await bobs.next(opcode.notifChat)).toMatchObject({ chat: { participantsCount: 3 } });
    const { members } = await bobs.call(opcode.chatMembers, { chatId, type: "MEMBER", marker: 0, count: 2 });
    expect(members).toMatchObject([{ contact: { id: annId } }, { contact: { id: bobId } }]);

    await admin(`POST /groups/${chatId}/changes`, { action: "title", value: "Crew", by: ann });
    expect(await bobs.next(opcode.notifChat)).toMatchObject({ chat: { title: "Crew" } });
    await admin(`POST /groups/${chatId}/changes`, { action: "remove", participants: [bob] });
    expect(
      await bobs.next(opcode.notifChat, ({ chat }) => String(chat?.["status"]) === "REMOVED"),
    ).toBeDefined();
    const late = { chatId, message: { text: "hi", cid: 9, elements: [], attaches: [] } };
    expect(await bobs.refusal(opcode.msgSend, late)).toBe("chat.denied");
    const { link } = await admin(`GET /groups/${chatId}`);
    const joined = await bobs.call(opcode.chatJoin, { link });
    expect(joined["chat"]).toMatchObject({ id: chatId, participantsCount: 3 });
    await bobs.call(opcode.chatLeave, { chatId });
    expect(await admin(`GET /groups/${chatId}`)).toMatchObject({ participants: [ann, zoe] });
  });
});

test("marks, links and formatting are kept", async () => {
  await withMax(async (kit) => {
    const { anns, bobs, chatId } = await pair(kit);
    const first = await anns.text(chatId, "quoted");
    const messageId = first["message"]?.["id"];
    const message = {
      text: "bold and plain",
      cid: 5,
      elements: [{ type: "STRONG", from: 0, length: 4 }],
      attaches: [],
      link: { type: "REPLY", messageId },
    };
    await anns.call(opcode.msgSend, { chatId, message });
    expect(
      await bobs.next(opcode.notifMessage, (push) => String(push["message"]?.["text"]).startsWith("bold")),
    ).toMatchObject({
      message: { elements: message.elements, link: { type: "REPLY", message: { text: "quoted" } } },
    });
    const forward = { text: "", cid: 6, attaches: [], link: { type: "FORWARD", messageId, chatId } };
    const sent = await anns.call(opcode.msgSend, { chatId: 0, message: forward });
    expect(sent["message"]).toMatchObject({ link: { type: "FORWARD", chatId, message: { text: "quoted" } } });
  });
});

const plainMessage = { text: "hi", cid: 1, elements: [], attaches: [] };

/** Payloads that the server accepts exactly as they are. */
const refusals: readonly (readonly [what: string, operation: number, payload: object, error: string])[] = [
  ["an unknown operation", 9999, {}, "proto.opcode"],
  ["an unknown field", opcode.ping, { interactive: false, colour: 1 }, "proto.payload"],
  ["another type", opcode.ping, { interactive: "no" }, "proto.payload"],
  ["no chat", opcode.msgSend, { message: plainMessage }, "proto.payload"],
  ["a chat as text", opcode.msgSend, { chatId: "7", message: plainMessage }, "proto.payload"],
  ["no cid", opcode.msgSend, { chatId: 0, message: { text: "hi" } }, "proto.payload"],
  [
    "an unknown field of a message",
    opcode.msgSend,
    { chatId: 0, message: { ...plainMessage, html: "" } },
    "proto.payload",
  ],
  ["nothing to say", opcode.msgSend, { chatId: 0, message: { ...plainMessage, text: "" } }, "proto.payload"],
  [
    "too long a text",
    opcode.msgSend,
    { chatId: 0, message: { ...plainMessage, text: "a".repeat(4001) } },
    "error.message.too.long",
  ],
  [
    "formatting beyond the text",
    opcode.msgSend,
    { chatId: 0, message: { ...plainMessage, elements: [{ type: "STRONG", from: 1, length: 2 }] } },
    "proto.payload",
  ],
  [
    "unknown formatting",
    opcode.msgSend,
    { chatId: 0, message: { ...plainMessage, elements: [{ type: "BOLD", from: 0, length: 1 }] } },
    "proto.payload",
  ],
  [
    "an unknown attachment",
    opcode.msgSend,
    { chatId: 0, message: { ...plainMessage, attaches: [{ _type: "HOLOGRAM" }] } },
    "proto.payload",
  ],
  [
    "a file that is not there",
    opcode.msgSend,
    { chatId: 0, message: { ...plainMessage, attaches: [{ _type: "FILE", fileId: 7 }] } },
    "not.found",
  ],
  [
    "an answer to nothing",
    opcode.msgSend,
    { chatId: 0, message: { ...plainMessage, link: { type: "REPLY", messageId: "7" } } },
    "not.found",
  ],
  [
    "an edit with attaches",
    opcode.msgEdit,
    { chatId: 0, messageId: "7", text: "x", attaches: [] },
    "proto.payload",
  ],
  ["a removal of nothing", opcode.msgDelete, { chatId: 0, messageIds: [], forMe: false }, "proto.payload"],
  ["too many chats", opcode.login, { token: "x", chatsCount: 200 }, "proto.payload"],
  [
    "a mark of another type",
    opcode.chatMark,
    { chatId: 0, messageId: "7", type: "SEEN", mark: 1 },
    "proto.payload",
  ],
  ["members of a dialogue", opcode.chatMembers, { chatId: 0, type: "MEMBER" }, "chat.denied"],
];

test.each(["binary", "json"] as const)("unknown fields and operations are refused (%s)", async (form) => {
  await withMax(async ({ admin, link }) => {
    const client = await link(ann, { form });
    for (const [what, operation, payload, error] of refusals)
      expect([what, await client.refusal(operation, payload)]).toEqual([what, error]);
    const { items } = await admin("GET /calls?unknown=true&count=4");
    expect(items).toMatchObject([{ opcode: 9999 }, { opcode: 1 }, { opcode: 64 }, { opcode: 67 }]);
  });
});
