import type { Message } from "@mtcute/node";
import { expect, test } from "vitest";
import { ann, bob, refusal, until, withTgapi } from "./test-kit.ts";

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
