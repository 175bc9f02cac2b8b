import { expect, test } from "vitest";
import { type Kit, withSandbox } from "../test-kit.ts";

/** A forum with one topic, and a bot of this role in it. */
async function openForum({ admin }: Kit, administrator: boolean) {
  const group = await admin("POST /groups", { title: "Forum", type: "supergroup", user_ids: [111] });
  const chat_id = Number(group["id"]);
  const at = `/groups/${chat_id}`;
  await admin(`POST ${at}/bots`, { bot_id: 1_000_001, administrator });
  const created = await admin(`POST ${at}/topics`, { name: "Deliveries" });
  const thread = Number(created["message"]?.["message_id"]);
  return { chat_id, at, thread, inThread: { message_thread_id: thread, is_topic_message: true } };
}

test("messages of a topic name it, and replies to them stay there", () =>
  withSandbox(async (kit) => {
    const { admin, ok, refused } = kit;
    const { chat_id, at, thread, inThread } = await openForum(kit, true);
    await admin(`POST ${at}/messages`, { user_id: 111, text: "Where is it?", topic_id: thread });
    const updates = await ok("getUpdates", { offset: -2 });
    const created = { forum_topic_created: { name: "Deliveries" } };
    expect(updates).toMatchObject([
      { message: { chat: { is_forum: true }, ...inThread, ...created } },
      { message: { text: "Where is it?", ...inThread, reply_to_message: created } },
    ]);
    const sent = await ok("sendMessage", { chat_id, text: "On its way", message_thread_id: thread });
    expect(sent).toMatchObject({ ...inThread, reply_to_message: created });
    const message_id = thread + 1;
    const reply = await ok("sendMessage", { chat_id, text: "Here", reply_parameters: { message_id } });
    expect(reply).toMatchObject({ ...inThread, reply_to_message: { text: "Where is it?" } });
    expect(await ok("sendMessage", { chat_id, text: "To all" })).not.toHaveProperty("message_thread_id");
    const elsewhere = { chat_id, text: "x", message_thread_id: thread + 1 };
    expect(await refused("sendMessage", elsewhere)).toBe("400 Bad Request: message thread not found");
  }));

test("in a closed topic only administrators write", () =>
  withSandbox(async (kit) => {
    const { admin, ok, refused } = kit;
    const { chat_id, at, thread } = await openForum(kit, false);
    const hello = { chat_id, text: "Hello", message_thread_id: thread };
    await admin(`POST ${at}/topics/${thread}/closings`);
    expect(await refused("sendMessage", hello)).toBe("400 Bad Request: TOPIC_CLOSED");
    await admin(`POST ${at}/topics/${thread}/openings`);
    expect(await ok("sendMessage", hello)).toMatchObject({ message_thread_id: thread });
    await admin(`POST ${at}/topics/${thread}/closings`);
    await admin(`POST ${at}/promotions`, { bot_id: 1_000_001 });
    expect(await ok("sendMessage", hello)).toMatchObject({ message_thread_id: thread });
  }));
