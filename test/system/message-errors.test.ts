import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Item } from "../kit/receiver.ts";
import { type Channel, must, requestId, type Stand, startStand } from "../kit/stand.ts";

const CONTENT = "the file's content";
const SHA1 = createHash("sha1").update(CONTENT).digest("hex");
const TOO_BIG = 50 * 1024 * 1024 + 1;

let stand: Stand;
let channel: Channel;
let person: string;
/** A file host: /file returns a file, /big declares a large one, everything else is missing. */
let host: { readonly url: string; readonly asked: string[]; stop(): Promise<void> };

beforeAll(async () => {
  host = await startHost();
  stand = await startStand();
  await stand.start();
  channel = await stand.addChannel(2);
  person = channel.people[0] ?? "";
});
afterAll(async () => {
  await stand.stop();
  await host.stop();
});

async function startHost() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/file") response.writeHead(200, { "content-type": "text/plain" }).end(CONTENT);
    else if (request.url === "/big") response.writeHead(200, { "content-length": TOO_BIG }).flushHeaders();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The final result of a message in v2 webhooks: its status, or its error. */
async function fateOf(content: object, recipient: object = { chat_id: person }): Promise<string> {
  const body = { channel_id: channel.id, recipient: { chat_type: "telegram", ...recipient }, ...content };
  return told(requestId((await must(stand.call("POST", "/v2/messages", body))).json));
}

async function told(messageId: string): Promise<string> {
  const isFate = ({ kind, messageId: id }: Item): boolean => kind === "statuses" && id === messageId;
  await stand.receiver.until(() => stand.receiver.taken().some(isFate));
  const fate = stand.receiver.taken().find(isFate);
  return fate?.error?.error ?? fate?.status ?? "";
}

const file = (path: string, more: object = {}) => ({ attachment: { url: host.url + path, ...more } });

test.each<[name: string, fate: string, content: () => object]>([
  ["a text within the limit", "sent", () => ({ text: "x".repeat(4_096) })],
  ["a text above the messenger's limit", "TOO_LONG_TEXT", () => ({ text: "x".repeat(4_097) })],
  ["a file as it was announced", "sent", () => file("/file", { size: CONTENT.length, sha1: SHA1 })],
  ["a hash in capitals", "sent", () => file("/file", { sha1: SHA1.toUpperCase() })],
  ["another hash than announced", "WRONG_CONTENT", () => file("/file", { sha1: "a".repeat(40) })],
  ["another size than announced", "WRONG_CONTENT", () => file("/file", { size: CONTENT.length + 1 })],
  ["a file whose host says that it is above 50 MB", "TOO_BIG_CONTENT", () => file("/big")],
  ["a file that the client says is above 50 MB", "TOO_BIG_CONTENT", () => file("/huge", { size: TOO_BIG })],
  ["a file that is not there", "CONTENT_CONVERSION_ERROR", () => file("/missing")],
])("%s: %s", async (_name, fate, content) => {
  expect(await fateOf(content())).toBe(fate);
});

test("a result that is known in advance causes no request", async () => {
  expect(host.asked).not.toContain("/huge");
  const { items } = await stand.telegram.admin<{ items: { request: { text?: string } }[] }>(
    `GET /bots/${channel.bot.id}/sent?method=sendMessage&limit=1000`,
  );
  expect(items.map(({ request }) => request.text?.length)).not.toContain(4_097);
});

test("a file arrives with the declared name and type", async () => {
  expect(await fateOf(file("/file", { name: "offer.csv", mimetype: "text/csv" }))).toBe("sent");
  const { items } = await stand.telegram.admin<{ items: { message?: { document?: object } }[] }>(
    `GET /bots/${channel.bot.id}/sent?method=sendDocument&limit=1000`,
  );
  const documents = items.flatMap(({ message }) => message?.document ?? []);
  expect(documents).toContainEqual(
    expect.objectContaining({ file_name: "offer.csv", mime_type: "text/csv" }),
  );
});

test.each([
  ["who never wrote, by username", { username: "nobody" }],
  ["who never wrote, by phone", { phone: "79990001122" }],
  ["who has no such chat", { chat_id: "999999999" }],
])("somebody %s: BAD_CONTACT", async (_name, recipient) => {
  expect(await fateOf({ text: "Hello" }, recipient)).toBe("BAD_CONTACT");
});

test("a connection that broke after the messenger may have accepted the message: UNKNOWN_ERROR, and not sent again", async () => {
  const before = await channel.bot.sentTotal();
  await stand.telegram.admin("POST /faults", { method: "sendMessage", drop: "after" });
  expect(await fateOf({ text: "Once" })).toBe("UNKNOWN_ERROR");
  expect(await channel.bot.sentTotal()).toBe(before + 1);
});

test("a message that waits when its channel is deleted: MESSAGE_CANCELLED", async () => {
  const other = await stand.addChannel(1);
  const [chatId = ""] = other.people;
  await stand.telegram.admin("POST /flood", { bot_id: other.bot.id, retry_after: 600 });
  const body = { channel_id: other.id, recipient: { chat_type: "telegram", chat_id: chatId }, text: "Late" };
  const messageId = requestId((await must(stand.call("POST", "/v2/messages", body))).json);
  await must(stand.call("DELETE", `/v2/channels/${other.id}`));
  expect(await told(messageId)).toBe("MESSAGE_CANCELLED");
});

test("a message through a rejected channel: CHANNEL_REJECTED", async () => {
  await stand.db.query(
    "update channels set status = 'disabled', reason = 'rejected', owner = null, epoch = epoch + 1 where id = $1",
    [channel.id],
  );
  expect(await fateOf({ text: "Hello" })).toBe("CHANNEL_REJECTED");
});
