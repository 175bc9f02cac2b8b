import type { Message } from "@mtcute/node";
import { expect, test } from "vitest";
import { pngFile } from "../test-kit.ts";
import { ann, bob, refusal, until, withTgapi } from "./test-kit.ts";

const carol = "79990000003";
const picture = pngFile(320, 320);

test.each(["group", "supergroup"])(
  "%s: messages with senders, membership, receipts, removal",
  async (kind) => {
    await withTgapi(async ({ admin, login }) => {
      const { tg } = await login(ann);
      const got: Message[] = [];
      tg.onNewMessage.add((message) => void got.push(message as unknown as Message));
      const made = await admin("POST /groups", {
        kind,
        title: "Team",
        creator: bob,
        participants: [bob, ann],
      });
      const id = Number(made["id"]);
      const created = await until("creation", () => got[0]);
      expect([created.chat.id, created.chat.displayName]).toEqual([id, "Team"]);
      await admin(`POST /people/${bob}/messages`, { to: String(id), text: "hello all" });
      const message = await until("text", () => got[1]);
      expect([message.text, message.sender.id, message.chat.id]).toEqual([
        "hello all",
        created.sender.id,
        id,
      ]);
      await tg.sendText(id, "hello Bob");
      expect(await admin(`GET /people/${bob}/inbox?kind=text&count=1`)).toMatchObject({
        items: [{ text: "hello Bob", chat: String(id) }],
      });
      await admin("POST /people", { phone: "79990000003", first_name: "Carol" });
      await admin(`POST /groups/${id}/users`, { phone: "79990000003", by: bob });
      expect((await until("addition", () => got[2])).action).toMatchObject({ type: "users_added" });
      expect((await tg.getChatMembers(id)).map(({ user }) => user.firstName).sort()).toEqual([
        "Ann",
        "Bob",
        "Carol",
      ]);
      await admin(`POST /groups/${id}/titles`, { title: "Crew", by: bob });
      expect((await until("title", () => got[3])).action).toMatchObject({
        type: "title_changed",
        title: "Crew",
      });
      await tg.readHistory(id);
      expect(await admin(`GET /sent?action=read&chat=${id}&count=1`)).toMatchObject({ complete: true });
      await admin(`POST /groups/${id}/removals`, { phone: ann, by: bob });
      expect(await refusal(tg.sendText(id, "still here?"))).not.toBe("no error");
      expect((await admin("GET /calls?unknown=true"))["items"]).toEqual([]);
    });
  },
);

test("an account creates a group; people who do not allow it are listed as missing", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    const other = await login(bob);
    const got: Message[] = [];
    other.tg.onNewMessage.add((message) => void got.push(message as unknown as Message));
    await admin("POST /people", { phone: carol, username: "carol_demo", inviters: "contacts" });
    const { chat, missing } = await tg.createGroup({ title: "Crew", users: ["bob_demo", "carol_demo"] });
    expect(missing).toMatchObject([{ userId: (await tg.getUser("carol_demo"))?.id }]);
    const created = await until("creation", () => got[0]);
    expect([created.chat.id, created.action]).toMatchObject([
      chat.id,
      { type: "chat_created", title: "Crew" },
    ]);
    await tg.setChatTitle(chat.id, "Team");
    await tg.setChatPhoto({ chatId: chat.id, type: "photo", media: picture });
    expect((await until("title", () => got[1])).action).toMatchObject({ type: "title_changed" });
    expect((await until("picture", () => got[2])).action).toMatchObject({ type: "photo_changed" });
    const group = `GET /groups/${chat.id}`;
    expect(await admin(group)).toMatchObject({ title: "Team", photo_id: expect.stringMatching(/^\d+$/) });
    const chatId = -chat.id;
    const userId = await tg.resolveUser("bob_demo");
    await tg.call({ _: "messages.editChatAdmin", chatId, userId, isAdmin: true });
    await until("promotion", () => other.updates.find((each) => each === "updateChatParticipantAdmin"));
    expect(await admin(group)).toMatchObject({ members: [{ role: "creator" }, { role: "admin" }] });
    await tg.kickChatMember({ chatId: chat.id, userId: "bob_demo" });
    expect(await admin(group)).toMatchObject({ members: [{ phone: ann }] });
    expect((await admin("GET /calls?unknown=true"))["items"]).toEqual([]);
  });
});

test("changes of a supergroup by its creator", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    const participants = [ann, bob];
    const made = await admin("POST /groups", { kind: "supergroup", title: "Team", participants });
    const chatId = Number(made["id"]);
    await until("group", () => tg.getChat(chatId).catch(() => undefined));
    await tg.setChatPhoto({ chatId, type: "photo", media: picture });
    await tg.editAdminRights({ chatId, userId: "bob_demo", rights: { inviteUsers: true } });
    const group = `GET /groups/${chatId}`;
    expect(await admin(group)).toMatchObject({
      photo_id: expect.any(String),
      members: [{}, { role: "admin" }],
    });
    await tg.editAdminRights({ chatId, userId: "bob_demo", rights: {} });
    expect(await admin(group)).toMatchObject({ members: [{}, { role: "member" }] });
    await tg.banChatMember({ chatId, participantId: "bob_demo" });
    expect(await admin(group)).toMatchObject({ members: [{ phone: ann }] });
    await tg.unbanChatMember({ chatId, participantId: "bob_demo" });
    await admin("POST /people", { phone: carol, username: "carol_demo", inviters: "contacts" });
    expect(await tg.addChatMembers(chatId, ["bob_demo", "carol_demo"], {})).toMatchObject([
      { _: "missingInvitee" },
    ]);
    expect(await admin(group)).toMatchObject({ members: [{ phone: ann }, { phone: bob }] });
  });
});

test("refusals of changes are Telegram's", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    await admin("POST /people", { phone: carol, username: "carol_demo", inviters: "contacts" });
    const made = await admin("POST /groups", { title: "Team", creator: bob, participants: [bob, ann] });
    const chatId = Number(made["id"]);
    await until("group", () => tg.getChat(chatId).catch(() => undefined));
    const small = { chatId, type: "photo", media: pngFile(100, 100) } as const;
    const cases: [call: () => Promise<unknown>, error: string][] = [
      [() => tg.createGroup({ title: " ", users: ["bob_demo"] }), "400 CHAT_TITLE_EMPTY"],
      [() => tg.createGroup({ title: "A", users: [] }), "400 USERS_TOO_FEW"],
      [() => tg.addChatMembers(chatId, "carol_demo", {}), "403 USER_PRIVACY_RESTRICTED"],
      [() => tg.addChatMembers(chatId, "bob_demo", {}), "400 USER_ALREADY_PARTICIPANT"],
      [() => tg.setChatTitle(chatId, "Mine"), "400 CHAT_ADMIN_REQUIRED"],
      [() => tg.setChatPhoto(small), "400 CHAT_ADMIN_REQUIRED"],
      [() => tg.kickChatMember({ chatId, userId: "bob_demo" }), "400 CHAT_ADMIN_REQUIRED"],
    ];
    for (const [call, error] of cases) expect(await refusal(call())).toBe(error);
    await admin(`POST /groups/${chatId}/promotions`, { phone: ann });
    expect(await refusal(tg.setChatPhoto(small))).toBe("400 PHOTO_CROP_SIZE_SMALL");
    await admin("POST /people", { phone: carol, inviters: "all" });
    await admin(`POST /groups/${chatId}/users`, { phone: carol, by: bob });
    await admin(`POST /groups/${chatId}/removals`, { phone: carol });
    expect(await refusal(tg.addChatMembers(chatId, "carol_demo", {}))).toBe("403 USER_NOT_MUTUAL_CONTACT");
    await admin(`POST /people/${ann}/restrictions`, { seconds: 60 });
    expect(await refusal(tg.addChatMembers(chatId, "carol_demo", {}))).toBe("400 PEER_FLOOD");
    expect(await refusal(tg.createGroup({ title: "B", users: ["bob_demo"] }))).toBe("400 USER_RESTRICTED");
  });
});

test("what a person writes on the phone is echoed, with edits, deletions and receipts", async () => {
  await withTgapi(async ({ admin, login }) => {
    const { tg } = await login(ann);
    const got: Message[] = [];
    const news: string[] = [];
    tg.onNewMessage.add((message) => void got.push(message as unknown as Message));
    tg.onRawUpdate.add(({ update }) => void news.push(update._));
    const { message_id } = await admin(`POST /people/${ann}/messages`, { to: bob, text: "from my phone" });
    expect((await until("echo", () => got[0])).isOutgoing).toBe(true);
    await admin(`POST /people/${ann}/edits`, { chat: bob, message_id, text: "changed" });
    await admin(`POST /people/${bob}/reads`, { chat: ann });
    await admin(`POST /people/${ann}/deletions`, { chat: bob, message_id });
    await until("deletion", () => news.find((each) => each === "updateDeleteMessages"));
    expect(news).toEqual([
      "updateNewMessage",
      "updateEditMessage",
      "updateReadHistoryOutbox",
      "updateDeleteMessages",
    ]);
  });
});
