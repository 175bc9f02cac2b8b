import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { call } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode } from "../kit/service.ts";

const [CLIENT, OTHER] = ["79400000001", "79400000002"];
const WIDE = { perSecond: 1_000, burst: 1_000 };

async function startHouse() {
  const messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    { media: { document: { maxBytes: 1_000_000, maxCaptionLength: 100 } } },
  );
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await write(node, { account, channelId }, [
    [CLIENT, "Good day"],
    [OTHER, "Hello"],
  ]);
  const inbox = await openInbox(node, account.api);
  const chatOf = async (name: string) => {
    const { json } = await inbox.get(`chats?search=${name}`);
    return (json as { chats: [{ id: string }] }).chats[0].id;
  };
  return { node, account, channelId, messenger, inbox, chatOf, chat: await chatOf(CLIENT) };
}

interface Page {
  readonly messages: readonly { readonly text: string }[];
  readonly next: string | null;
}

test("a gallery has the messages of its kind, newest first, over pages of any distance", async () => {
  const { node, account, channelId, inbox, chat } = await startHouse();
  // One message a minute of the last day and a half; every thousandth is a picture.
  await node.db.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, external_id, sent_at, created_at, deleted_at)
     select $1, gen_random_uuid(), $2, $3, 'in',
       case when n % 1000 = 0 then 'image' when n = 7 then 'video' when n = 8 then 'document' when n = 9 then 'audio' else 'text' end,
       'inbound', case when n in (3, 4) then 'See HTTPS://a.example/' || n else 'Message ' || n end, 'g' || n, at, at,
       case when n = 4 then now() end
     from generate_series(1, 5000) n cross join lateral (select now() - (5001 - n) * interval '1 minute' as at) times`,
    [account.id, channelId, chat],
  );
  const all = async (kind: string, limit: number) => {
    const texts: string[] = [];
    let requests = 0;
    for (let next: string | null = ""; next !== null; requests++) {
      const cursor: string = next === "" ? "" : `&before=${encodeURIComponent(next)}`;
      const { json, status } = await inbox.get(`chats/${chat}/gallery?kind=${kind}&limit=${limit}${cursor}`);
      expect(status).toBe(200);
      const page = json as Page;
      expect(page.messages.length).toBeLessThanOrEqual(limit);
      texts.push(...page.messages.map(({ text }) => text));
      ({ next } = page);
    }
    return { texts, requests };
  };
  const pictures = [5000, 4000, 3000, 2000, 1000].map((n) => `Message ${n}`);
  expect((await all("pictures", 2)).texts).toEqual(pictures);
  expect(await all("pictures", 100)).toEqual({ texts: pictures, requests: 2 });
  expect((await all("videos", 10)).texts).toEqual(["Message 7"]);
  expect((await all("files", 10)).texts).toEqual(["Message 9", "Message 8"]);
  // The other one was deleted.
  expect((await all("links", 10)).texts).toEqual(["See HTTPS://a.example/3"]);
});

test.each([
  ["another kind", "kind=stickers", "400 VALIDATION_ERROR"],
  ["no kind", "", "400 VALIDATION_ERROR"],
  ["a broken cursor", "kind=links&before=x", "400 VALIDATION_ERROR"],
])("a gallery of %s is refused", async (_, query, expected) => {
  const { inbox, chat } = await startHouse();
  const { status, json } = await inbox.get(`chats/${chat}/gallery?${query}`);
  expect(`${status} ${(json as { error: string }).error}`).toBe(expected);
});

test("the file of a message is sent on from the store; a message without one, or of another account, is refused", async () => {
  const { node, inbox, chat, chatOf, messenger } = await startHouse();
  onTestFinished(await startSending(node, { pacing: false }));
  const upload = await call(node, "POST", "/app/api/files?name=prices.pdf", {
    token: inbox.token,
    headers: { "content-type": "application/pdf" },
    raw: Buffer.from("%PDF-1.4 prices"),
  });
  const { file_id } = upload.json as { file_id: string };
  const first = await inbox.send("POST", "messages", { id: randomUUID(), chat_id: chat, file_id });
  const { message } = first.json as { message: { id: string } };
  const onward = (body: object) =>
    chatOf(OTHER).then((other) =>
      inbox.send("POST", "messages", { id: randomUUID(), chat_id: other, ...body }),
    );
  const sent = await onward({ file_of_message_id: message.id, text: "Our prices" });
  expect(sent).toMatchObject({ status: 201, json: { message: { type: "document", text: "Our prices" } } });
  await expect
    .poll(() => messenger.arrived.map(({ message: { to, content } }) => ({ to: to.chatId, content })), {
      timeout: 20_000,
    })
    .toContainEqual({
      to: OTHER,
      content: expect.objectContaining({
        caption: "Our prices",
        file: expect.objectContaining({ size: 15 }),
      }),
    });
  const { json } = await inbox.get(`chats/${chat}/messages`);
  const [text] = (json as { messages: { id: string; type: string }[] }).messages.filter(
    ({ type }) => type === "text",
  );
  expect(await onward({ file_of_message_id: text?.id })).toMatchObject({
    status: 400,
    json: { error: "MESSAGE_NOTHING_TO_SEND" },
  });
  const stranger = await addAccount(node.db);
  const foreign = await openInbox(node, stranger.api);
  expect(
    await foreign.send("POST", "messages", {
      id: randomUUID(),
      chat_id: chat,
      file_of_message_id: message.id,
    }),
  ).toMatchObject({ status: 404 });
});
