import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { TransportError } from "../../../src/core/transport/errors.ts";
import { call } from "../kit/call.ts";
import { write } from "../kit/inbound.ts";
import { openInbox } from "../kit/inbox.ts";
import { openStream } from "../kit/live.ts";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode } from "../kit/service.ts";

const WIDE = { perSecond: 1_000, burst: 1_000 };
const [CLIENT, REFUSED] = ["79300000001", "79300000002"];

/** The whole way of what an employee writes on the page: messenger, open pages, webhooks. */
async function startHouse() {
  const messenger = createMessenger(
    { channel: WIDE, chat: WIDE, jitterMs: 0 },
    {
      media: {
        document: { maxBytes: 1_000_000, maxCaptionLength: 20 },
        audio: { maxBytes: 1_000_000 },
      },
      receipts: ["delivered"],
    },
  );
  messenger.refuse = (chatId) => {
    if (chatId === REFUSED) throw new TransportError("BAD_CONTACT", "Nobody has this number");
  };
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  await node.db.query(
    `insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
     values ($1, gen_random_uuid(), 'v3', 'http://127.0.0.1:9/', '{messages,statuses}', '\\x00')`,
    [account.id],
  );
  onTestFinished(await startSending(node, { pacing: false }));
  await write(node, { account, channelId }, [
    [CLIENT, "Good day"],
    [REFUSED, "Hello"],
  ]);
  const inbox = await openInbox(node, account.api);
  const stream = await openStream(node, inbox.token);
  onTestFinished(() => stream.close());
  /** Webhooks about messages that employees write. */
  const told = async () => {
    const rows = await node.db.query<{ kind: string; body: string }>(
      "select kind, body from events where account_id = $1 and kind in ('messages', 'statuses') order by id",
      [account.id],
    );
    return rows
      .map(({ kind, body }) => ({ kind, ...(JSON.parse(body) as { status: string; messageId: string }) }))
      .filter(({ status }) => status !== "inbound");
  };
  const chatOf = async (name: string) => {
    const { json } = await inbox.get(`chats?search=${name}`);
    return (json as { chats: [{ id: string }] }).chats[0].id;
  };
  return { node, account, channelId, messenger, inbox, stream, told, chatOf };
}

test("receivers get a complete message from the page once it is sent, and then its statuses", async () => {
  const { inbox, stream, told, chatOf, messenger, channelId } = await startHouse();
  const sent = await inbox.send("POST", "messages", {
    id: randomUUID(),
    chat_id: await chatOf(CLIENT),
    text: "Yes?",
  });
  const { message } = sent.json as { message: { id: string } };
  await messenger.untilArrived("Yes?");
  const is = (status: string) => (event: { data: Record<string, unknown> }) => {
    const shown = event.data["message"] as { id: string; status: string } | undefined;
    return shown?.id === message.id && shown.status === status;
  };
  await stream.next(is("sent"));
  const ref = { chatType: "whatsapp", chatId: CLIENT, externalId: "-" } as const;
  await messenger.tell(channelId, {
    kind: "receipt",
    ref: { ...ref, messageId: message.id },
    status: "delivered",
    at: new Date(),
  });
  await stream.next(is("delivered"));
  expect(await told()).toMatchObject([
    {
      kind: "messages",
      messageId: message.id,
      status: "sent",
      text: "Yes?",
      isEcho: true,
      sentFromApp: true,
      authorId: "agent-1",
      authorName: "Alice",
    },
    { kind: "statuses", messageId: message.id, status: "delivered" },
  ]);
});

test("a message from the page that the messenger refuses is published completely as well, with its error", async () => {
  const { inbox, stream, told, chatOf } = await startHouse();
  const body = { id: randomUUID(), chat_id: await chatOf(REFUSED), text: "Hello?" };
  await inbox.send("POST", "messages", body);
  const failed = await stream.next(({ data }) => (data["message"] as { status: string })?.status === "error");
  expect(failed.data).toMatchObject({
    message: { client_id: body.id, error: { code: "BAD_CONTACT" }, can_resend: true },
    chat: { failed: true },
  });
  expect(await told()).toMatchObject([
    { kind: "messages", status: "error", error: { error: "BAD_CONTACT" }, sentFromApp: true, text: "Hello?" },
  ]);
});

test("sixteen uploads of an account are received at a time, the others wait", async () => {
  const { node, inbox } = await startHouse();
  const { port, hostname } = new URL(node.url);
  const started = Array.from({ length: 20 }, () => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const head = `POST /app/api/files?name=a.txt HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${inbox.token}\r\n`;
    socket.write(`${head}content-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n\r\nab`);
    const answered = text(socket);
    return { socket, answered };
  });
  const underWay = async () => (await node.db.query("select 1 from files where state = 'waiting'")).length;
  await vi.waitUntil(async () => (await underWay()) === 16);
  for (let turn = 0; turn < 20; turn++) expect(await underWay()).toBe(16);
  for (const { socket } of started) socket.write("cd");
  for (const { answered } of started) expect(await answered).toContain("HTTP/1.1 201");
});

test("an upload reaches the messenger from the store, although its address is not public", async () => {
  const { node, inbox, chatOf, messenger } = await startHouse();
  const upload = await call(node, "POST", "/app/api/files?name=prices.pdf", {
    token: inbox.token,
    headers: { "content-type": "application/pdf" },
    raw: Buffer.from("%PDF-1.4 prices"),
  });
  const { file_id } = upload.json as { file_id: string };
  const chat_id = await chatOf(CLIENT);
  expect((await inbox.send("POST", "messages", { id: randomUUID(), chat_id, file_id })).status).toBe(201);
  const arrival = await vi.waitUntil(() => messenger.arrived[0], { timeout: 20_000 });
  const { content } = arrival.message;
  if (content.type !== "file") throw new Error(`a ${content.type} arrived`);
  expect(content.file).toMatchObject({ name: "prices.pdf", mimeType: "application/pdf", size: 15 });
  expect((await buffer(content.file.open())).toString()).toBe("%PDF-1.4 prices");
});

test("a file goes with its text in one message where the messenger has captions", async () => {
  const { node, inbox, chatOf, messenger, told } = await startHouse();
  const chat_id = await chatOf(CLIENT);
  const uploaded = async (mimeType: string) => {
    const { json } = await call(node, "POST", "/app/api/files?name=file", {
      token: inbox.token,
      headers: { "content-type": mimeType },
      raw: Buffer.from("content"),
    });
    return (json as { file_id: string }).file_id;
  };
  const send = async (text: string, mimeType: string) =>
    inbox.send("POST", "messages", { id: randomUUID(), chat_id, text, file_id: await uploaded(mimeType) });
  expect(await send("Twenty-one characters", "application/pdf")).toMatchObject({
    status: 400,
    json: { error: "MESSAGE_TEXT_TOO_LONG", data: { maxLength: 20 } },
  });
  expect(await send("A song", "audio/mpeg")).toMatchObject({
    status: 400,
    json: { error: "MESSAGE_ONLY_TEXT_OR_CONTENT" },
  });
  const sent = await send("The prices", "application/pdf");
  expect(sent).toMatchObject({ status: 201, json: { message: { type: "document", text: "The prices" } } });
  const arrived = (index: number) => vi.waitUntil(() => messenger.arrived[index], { timeout: 20_000 });
  expect((await arrived(0)).message.content).toMatchObject({ type: "file", caption: "The prices" });
  await vi.waitUntil(async () => (await told()).length > 0, { timeout: 20_000 });
  expect((await told())[0]).toMatchObject({ kind: "messages", type: "document", text: "The prices" });
});
