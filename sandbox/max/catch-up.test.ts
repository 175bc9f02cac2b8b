import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Json } from "../test-kit.ts";
import { opcode } from "./opcode.ts";
import { ann, bob, type Client, type Kit, withMax, zoe } from "./test-kit.ts";

/** Everything after `time`, page by page, as a client that was offline fetches it. */
async function historyAfter(client: Client, chatId: number, time: number): Promise<Json[]> {
  const found: Json[] = [];
  for (let from = time; ; ) {
    const page = { chatId, from, forward: 100, backward: 0, getMessages: true };
    const { messages } = await client.call(opcode.chatHistory, page);
    const list = messages as unknown as Json[];
    if (list.length === 0) return found;
    found.push(...list);
    from = Number(list.at(-1)?.["time"]);
  }
}

const texts = (messages: readonly Json[]) => messages.map(({ text }) => String(text));

async function dialogOf(kit: Kit, phone: string): Promise<number> {
  return Number(BigInt(await kit.idOf(ann)) ^ BigInt(await kit.idOf(phone)));
}

test("5,000 missed messages are fetched in order, in the chats that changed", async () => {
  await withMax(async (kit) => {
    const { admin, link, open } = kit;
    await admin(`POST /people/${zoe}/messages`, { to: ann, text: "long ago" });
    const client = await link(ann);
    const { token } = client;
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "the last one heard" });
    const heard = await client.next(opcode.notifMessage);
    const since = Number(heard["message"]?.["time"]);
    await admin(`POST /people/${ann}/sessions/any/drops`);
    await client.closed;
    await admin("POST /time", { advance_seconds: 3600 });
    const { last } = await admin("POST /load", { from: bob, to: ann, count: 5000 });

    const back = await open();
    const login = await back.logIn(token, { chatsSync: since + 1 });
    expect(login["chats"]).toMatchObject([{ newMessages: 5001, lastMessage: { text: "Message 5000" } }]);
    const missed = await historyAfter(back, await dialogOf(kit, bob), since);
    expect(texts(missed)).toEqual(Array.from({ length: 5000 }, (_, index) => `Message ${index + 1}`));
    expect(String(missed.at(-1)?.["id"])).toBe(String(last));
    expect(new Set(missed.map(({ id }) => String(id))).size).toBe(5000);
    expect(back.pushes).toEqual([]);

    await admin("POST /load", { from: bob, to: ann, count: 500, text: "Live" });
    await back.next(opcode.notifMessage, ({ message }) => String(message?.["text"]) === "Live 500");
    const live = back.pushes.map(({ payload }) => (payload as Json)["message"] ?? {});
    expect(texts(live)).toEqual(Array.from({ length: 500 }, (_, index) => `Live ${index + 1}`));
  });
});

test("history is paged by time, both ways, and chats by their last event", async () => {
  await withMax(async (kit) => {
    const { admin, link } = kit;
    const client = await link(ann);
    const chatId = await dialogOf(kit, bob);
    await admin("POST /load", { from: bob, to: ann, count: 250, quiet: true });
    const now = Date.now() + 10_000;
    const newest = await client.call(opcode.chatHistory, {
      chatId,
      from: now,
      backward: 30,
      forward: 0,
      getMessages: true,
    });
    const list = newest["messages"] as unknown as Json[];
    expect(texts(list)).toEqual(Array.from({ length: 30 }, (_, index) => `Message ${index + 221}`));
    const from = Number(list[0]?.["time"]);
    const around = await client.call(opcode.chatHistory, {
      chatId,
      from,
      backward: 2,
      forward: 3,
      getChat: true,
    });
    expect(texts(around["messages"] as unknown as Json[])).toEqual(
      [220, 221, 222, 223, 224].map((n) => `Message ${n}`),
    );
    expect(around["chat"]).toMatchObject({ id: chatId });
    const many = await client.call(opcode.chatHistory, { chatId, from: now, backward: 1000, forward: 0 });
    expect(many["messages"]).toHaveLength(100);
    expect(client.pushes).toEqual([]);

    await admin("POST /settings", { chats_page: 2 });
    for (const title of ["one", "two", "three"]) {
      // The list is ordered by time: no two groups may have the same millisecond.
      await admin("POST /time", { advance_seconds: 1 });
      await admin("POST /groups", { title, participants: [ann] });
    }
    const first = await client.call(opcode.chatsList, { marker: now });
    expect((first["chats"] as unknown as Json[]).map(({ title }) => title)).toEqual(["three", "two"]);
    const second = await client.call(opcode.chatsList, { marker: first["marker"] });
    expect(second).toMatchObject({ chats: [{ title: "one" }, { id: chatId }], marker: 0 });
    const few = await (await kit.open({ deviceId: "device-1" })).logIn(client.token, { chatsCount: 1 });
    expect(few["chats"]).toMatchObject([{ title: "three" }]);
  });
});

test("people, sessions, chats, messages, read marks and files survive a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "max-test-"));
  const kept = { token: "", address: "", id: "" };
  try {
    await withMax(
      async (kit) => {
        const { admin, link, max } = kit;
        await admin(`POST /people/${bob}/passwords`, { password: "horse", hint: "animal" });
        const client = await link(ann);
        const chatId = await dialogOf(kit, bob);
        const sent = await client.text(chatId, "before", 42);
        kept.token = client.token;
        kept.id = String(sent["message"]?.["id"]);
        kept.address = max.url;
        await admin(`POST /people/${bob}/messages`, { to: ann, kind: "file", reply_to: kept.id });
        await admin(`POST /people/${bob}/reactions`, { message_id: kept.id });
        await admin(`POST /people/${bob}/reads`, { chat: ann });
        await admin("POST /groups", { title: "Team", participants: [ann, bob] });
      },
      { dataDir },
    );
    await withMax(
      async (kit) => {
        const { admin, open, max } = kit;
        expect(max.url).toBe(kept.address);
        const client = await open();
        const login = await client.logIn(kept.token);
        expect(login["chats"]).toMatchObject([{ title: "Team", type: "CHAT" }, { type: "DIALOG" }]);
        const chatId = await dialogOf(kit, bob);
        const repeated = await client.text(chatId, "repeated", 42);
        expect(String(repeated["message"]?.["id"])).toBe(kept.id);
        const { items } = await admin(`GET /people/${bob}/chats/${ann}/messages`);
        expect(items).toMatchObject([
          { text: "before", reactions: { [bob]: "👍" }, read_by: [bob] },
          { kind: "file", link: { type: "REPLY", message_id: kept.id } },
        ]);
        const [, second] = items as unknown as Json[];
        const fileId = second?.["attaches"]?.[0]?.["file_id"];
        const download = { chatId, messageId: String(second?.["message_id"]), fileId };
        const { url } = await client.call(opcode.fileDownload, download);
        expect((await fetch(String(url))).status).toBe(200);
        const later = await client.text(chatId, "after", 43);
        expect(BigInt(String(later["message"]?.["id"]))).toBeGreaterThan(BigInt(kept.id));
        expect(await admin(`GET /people/${bob}`)).toMatchObject({ has_password: true });
      },
      { dataDir },
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
