import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readQr } from "../../sandbox/qr-reader.ts";
import type { Account, ServiceProcess } from "../kit/service.ts";
import { must, requestId, type Stand, startStand } from "../kit/stand.ts";
import { startWhatsappStand, type WhatsappStand } from "../kit/whatsapp.ts";

type Json = Record<string, unknown>;

let whatsapp: WhatsappStand;
let stand: Stand;
let service: ServiceProcess;
let files: Server;
/** Ends a test that hangs; not a performance limit. */
const PATIENCE = { timeout: 60_000, interval: 50 };
const PDF = Buffer.alloc(40_000, 7);

beforeAll(async () => {
  whatsapp = await startWhatsappStand();
  stand = await startStand({ settings: { ...whatsapp.environment, PACING: "off" } });
  service = await stand.start();
  await subscribe(stand.account);
  files = createServer((_, response) =>
    response.writeHead(200, { "content-type": "application/pdf" }).end(PDF),
  ).listen(0, "127.0.0.1");
});
afterAll(async () => {
  files.close();
  await stand.stop();
  await whatsapp.close();
});

function subscribe(account: Account): Promise<unknown> {
  const subscriptions = { messagesAndStatuses: true, channelsUpdates: true };
  const body = { webhooksUri: stand.receiver.url, subscriptions };
  return must(stand.call("PATCH", "/v3/webhooks", body, { account }));
}

/** All events that the receiver accepted, of both interfaces, in order. */
function told(): Json[] {
  return stand.receiver.posts
    .filter(({ status }) => status === 200)
    .flatMap(({ body }) => {
      const parsed = JSON.parse(body) as Json & { event?: string; data?: Json[] };
      if (parsed.event !== undefined)
        return (parsed.data ?? []).map((each) => ({ event: parsed.event, ...each }));
      return ["messages", "statuses", "channelsUpdates"].flatMap((key) =>
        ((parsed[key] ?? []) as Json[]).map((each) => ({ event: key, ...each })),
      );
    });
}

async function untilTold(what: Json, after = 0): Promise<Json> {
  const fits = (event: Json): boolean => Object.entries(what).every(([key, value]) => event[key] === value);
  const find = (): Json | undefined => told().slice(after).find(fits);
  await vi
    .waitUntil(() => find() !== undefined, { ...PATIENCE, interval: 20 })
    .catch(() => {
      const seen = told()
        .slice(after)
        .map((event) => JSON.stringify(event).slice(0, 160));
      throw new Error(`nothing like ${JSON.stringify(what)} in\n${seen.join("\n")}`);
    });
  return find() ?? {};
}

async function createChannel(account: Account = stand.account): Promise<string> {
  const { json } = await must(
    stand.call("POST", "/v2/channels", { transport: "whatsapp", credentials: {} }, { account }),
  );
  return (json as { data: { channel_id: string }[] }).data[0]?.channel_id ?? "";
}

/** The phone scans the code of a webhook of the channel, or of a later one if that has expired by then. */
async function scan(channelId: string, phone: string, after = 0): Promise<void> {
  for (let from = after; ; ) {
    const { qr_code: shown } = await untilTold({ event: "channel.qr_update", channel_id: channelId }, from);
    from = told().findLastIndex(({ qr_code: code }) => code === shown) + 1;
    try {
      await whatsapp.admin(`POST /people/${phone}/scans`, { qr: readQr(String(shown)) });
      return;
    } catch (error) {
      if (!String(error).includes("expired_qr")) throw error;
    }
  }
}

async function statusOf(channelId: string, account: Account = stand.account): Promise<string> {
  const { json } = await must(stand.call("GET", `/v2/channels/${channelId}`, undefined, { account }));
  const [channel] = (json as { data: { status: string; reason: string | null }[] }).data;
  return `${channel?.status}/${channel?.reason}`;
}

const untilStatus = (channelId: string, status: string, account?: Account): Promise<unknown> =>
  vi.waitUntil(async () => (await statusOf(channelId, account)) === status, PATIENCE);

const devicesOf = async (phone: string): Promise<number> =>
  (await whatsapp.admin<{ items: unknown[] }>(`GET /people/${phone}/devices`)).items.length;

/** The phone has no linked device any more, and the database no keys. */
async function untilGone({ id, phone }: Linked): Promise<void> {
  await vi.waitUntil(async () => (await devicesOf(phone)) === 0, PATIENCE);
  const left = (): Promise<unknown[]> =>
    stand.db.query("select id from channel_vault where channel_id = $1", [id]);
  await vi.waitUntil(async () => (await left()).length === 0, PATIENCE);
}

interface Linked {
  readonly id: string;
  readonly phone: string;
}

async function link(): Promise<Linked> {
  const phone = await whatsapp.addPerson("Shop");
  const id = await createChannel();
  await scan(id, phone);
  await untilStatus(id, "active/null");
  return { id, phone };
}

async function send({ id }: Linked, chatId: string, content: object): Promise<string> {
  const recipient = { chat_type: "whatsapp", chat_id: chatId };
  const { json } = await must(stand.call("POST", "/v2/messages", { channel_id: id, recipient, ...content }));
  return requestId(json);
}

async function conversation(person: string, channel: Linked): Promise<Json[]> {
  const path = `GET /people/${person}/chats/${channel.phone}/messages`;
  return (await whatsapp.admin<{ items: Json[] }>(path)).items;
}

async function inbox(person: string, count: number): Promise<void> {
  const list = await whatsapp.admin<{ complete: boolean }>(
    `GET /people/${person}/inbox?count=${count}&timeout_ms=30000`,
  );
  expect(list.complete).toBe(true);
}

test("a customer's first message contains their picture", async () => {
  const channel = await link();
  // A busy machine may take longer than the message waits.
  for (let attempt = 0; attempt < 10; attempt++) {
    const ann = await whatsapp.addPerson("Ann");
    await whatsapp.admin(`POST /people/${ann}/photos`, {});
    await whatsapp.admin(`POST /people/${ann}/messages`, { to: channel.phone, text: `I am ${ann}` });
    const { contact } = (await untilTold({ event: "messages", text: `I am ${ann}` })) as {
      contact?: { avatarUri?: string };
    };
    if (contact?.avatarUri === undefined) continue;
    const picture = await fetch(contact.avatarUri);
    expect([picture.status, (await picture.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    return;
  }
  throw new Error("none of ten first messages had a picture");
});

describe("linking", () => {
  test("by the QR code from the webhook", async () => {
    const channel = await link();
    await untilTold({ event: "channel.status_update", channel_id: channel.id, status: "active" });
    const states = told()
      .filter(({ event, channel_id: id }) => event === "channel.status_update" && id === channel.id)
      .map(({ status, reason }) => `${String(status)}/${String(reason)}`);
    expect([...new Set(states)]).toEqual(["init/qr", "init/sync", "active/null"]);
    await untilTold({ event: "channelsUpdates", channelId: channel.id, state: "active" });
    const { json } = await must(stand.call("GET", `/v2/channels/${channel.id}`));
    expect((json as { data: Json[] }).data).toMatchObject([{ phone: channel.phone, transport: "whatsapp" }]);
    const late = await stand.call("POST", `/v2/channels/${channel.id}/pairing-code`, {
      transport: "whatsapp",
      pairing_phone: channel.phone,
    });
    expect([late.status, late.json]).toMatchObject([400, { error: "PAIRING_NOT_EXPECTED" }]);
  });

  test("by a pairing code", async () => {
    const phone = await whatsapp.addPerson("Shop");
    const id = await createChannel();
    await untilStatus(id, "init/qr");
    const { json } = await must(
      stand.call("POST", `/v2/channels/${id}/pairing-code`, { transport: "whatsapp", pairing_phone: phone }),
    );
    const [{ pairing_code: code, pairing_phone: given } = {}] = (json as { data: Json[] }).data;
    expect(given).toBe(phone);
    await whatsapp.admin(`POST /people/${phone}/codes`, { code });
    await untilStatus(id, "active/null");
  });

  test("a phone linked by another account stays with that account", async () => {
    const first = await link();
    const account = await stand.addAccount();
    await subscribe(account);
    const second = await createChannel(account);
    await scan(second, first.phone);
    await untilStatus(second, "disabled/openelsewhere", account);
    await vi.waitUntil(async () => (await devicesOf(first.phone)) === 1, PATIENCE);
    expect(await statusOf(first.id)).toBe("active/null");
  });

  test("deleting a channel unlinks the device on the phone, and deletes its keys from the database", async () => {
    const channel = await link();
    await must(stand.call("DELETE", `/v2/channels/${channel.id}`));
    await untilGone(channel);
  });

  test("also if the connection is lost, does not respond, or the channel had ended", async () => {
    const act = async (what: string): Promise<void> => {
      const channel = await link();
      await whatsapp.admin(`POST /people/${channel.phone}/devices/any/${what}`);
      if (what === "replacements") await untilStatus(channel.id, "disabled/openelsewhere");
      await must(stand.call("DELETE", `/v2/channels/${channel.id}`));
      await untilGone(channel);
    };
    await Promise.all(["drops", "freezes", "replacements"].map(act));
  });
});

describe("end of a link", () => {
  test("unlinked on the phone, then linked again; another phone is refused", async () => {
    const channel = await link();
    const mark = told().length;
    await whatsapp.admin(`DELETE /people/${channel.phone}/devices/any`);
    await untilTold({ event: "channelsUpdates", channelId: channel.id, state: "unauthorized" }, mark);
    const again = told().length;
    await must(stand.call("POST", `/v2/channels/${channel.id}/reinit`, { credentials: {} }));
    const other = await whatsapp.addPerson("Other");
    await scan(channel.id, other, again);
    await untilStatus(channel.id, "disabled/foreignphone");
    await vi.waitUntil(async () => (await devicesOf(other)) === 0, PATIENCE);
    const last = told().length;
    await must(stand.call("POST", `/v2/channels/${channel.id}/reinit`, { credentials: {} }));
    await scan(channel.id, channel.phone, last);
    await untilStatus(channel.id, "active/null");
  });

  test("open elsewhere", async () => {
    const channel = await link();
    await whatsapp.admin(`POST /people/${channel.phone}/devices/any/replacements`);
    await untilTold({ event: "channelsUpdates", channelId: channel.id, state: "openElsewhere" });
    const body = {
      channel_id: channel.id,
      recipient: { chat_type: "whatsapp", chat_id: "79991112233" },
      text: "x",
    };
    expect((await stand.call("POST", "/v2/messages", body)).json).toMatchObject({
      error: "MESSAGE_CHANNEL_UNAVAILABLE",
    });
  });
});

describe("messages", () => {
  test("out: sent, delivered, read; reactions; edited and deleted", async () => {
    const channel = await link();
    const ann = await whatsapp.addPerson();
    const messageId = await send(channel, ann, { text: "Good morning" });
    await untilTold({ event: "statuses", messageId, status: "delivered" });
    await whatsapp.admin(`POST /people/${ann}/reads`, {});
    await untilTold({ event: "statuses", messageId, status: "read" });
    const reaction = `/v2/messages/${messageId}/reaction`;
    await must(stand.call("PUT", reaction, { emoji: "👍" }));
    const [sent] = await conversation(ann, channel);
    expect(sent?.["reactions"]).toEqual({ [channel.phone]: "👍" });
    await whatsapp.admin(`POST /people/${ann}/reactions`, { message_id: sent?.["message_id"], emoji: "🔥" });
    const stored = () =>
      stand.db.query<{ person: string; emoji: string | null }>(
        "select person, emoji from message_reactions where message_id = $1 order by person",
        [messageId],
      );
    await vi.waitUntil(async () => (await stored()).length === 2, PATIENCE);
    await must(stand.call("DELETE", reaction));
    expect(await stored()).toEqual([
      { person: "", emoji: null },
      { person: ann, emoji: "🔥" },
    ]);
    expect((await conversation(ann, channel))[0]?.["reactions"]).toEqual({ [ann]: "🔥" });
    await must(stand.call("PATCH", `/v2/messages/${messageId}`, { text: "Good evening" }));
    expect(await conversation(ann, channel)).toMatchObject([{ text: "Good evening", edited: true }]);
    await must(stand.call("DELETE", `/v2/messages/${messageId}`));
    expect(await conversation(ann, channel)).toMatchObject([{ deleted: true }]);
  });

  test("out: a file", async () => {
    const channel = await link();
    const ann = await whatsapp.addPerson();
    const { port } = files.address() as AddressInfo;
    const sha1 = createHash("sha1").update(PDF).digest("hex");
    const attachment = { url: `http://127.0.0.1:${port}/a.pdf`, name: "offer.pdf", sha1 };
    const messageId = await send(channel, ann, { attachment });
    await untilTold({ event: "statuses", messageId, status: "delivered" });
    expect(await conversation(ann, channel)).toMatchObject([
      { kind: "document", mime_type: "application/pdf" },
    ]);
  });

  test("out: the number has no account", async () => {
    const channel = await link();
    const messageId = await send(channel, "70000000001", { text: "Hello?" });
    const { error } = await untilTold({ event: "statuses", messageId, status: "error" });
    expect(error).toMatchObject({ error: "BAD_CONTACT" });
  });

  test("out: WhatsApp rejects it as spam, and it is not retried", async () => {
    const channel = await link();
    const ann = await whatsapp.addPerson();
    await whatsapp.admin("POST /faults", { phone: channel.phone, to: ann, error_code: 463, times: 5 });
    const messageId = await send(channel, ann, { text: "Buy!" });
    const { error } = await untilTold({ event: "statuses", messageId, status: "error" });
    expect(error).toMatchObject({ error: "SPAM" });
    const { items } = await whatsapp.admin<{ items: { left: number }[] }>("GET /faults");
    expect(items.map(({ left }) => left)).toEqual([4]);
    await whatsapp.admin("DELETE /faults");
  });

  test("in: texts, files, stickers, polls, calls, and messages written on the phone", async () => {
    const channel = await link();
    const ann = await whatsapp.addPerson();
    const write = (content: object) =>
      whatsapp.admin(`POST /people/${ann}/messages`, { to: channel.phone, ...content });
    await write({ text: "Is anybody there?" });
    expect(await untilTold({ event: "messages", text: "Is anybody there?" })).toMatchObject({
      channelId: channel.id,
      chatType: "whatsapp",
      chatId: ann,
      type: "text",
      status: "inbound",
      isEcho: false,
      contact: { name: "Ann" },
    });
    await write({ kind: "document", file: { base64: PDF.toString("base64"), name: "a.pdf" } });
    const { contentUri } = await untilTold({ event: "messages", channelId: channel.id, type: "document" });
    const file = await vi.waitFor(async () => {
      const answer = await fetch(String(contentUri));
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    }, PATIENCE);
    expect(file.equals(PDF)).toBe(true);
    await write({ kind: "lottie_sticker" });
    const sticker = await untilTold({ event: "messages", channelId: channel.id, type: "image" });
    expect(String(sticker["contentUri"])).toMatch(/\.was$/);
    await write({ kind: "poll", question: "Lunch?", options: ["Yes", "No"] });
    await untilTold({ event: "messages", channelId: channel.id, text: "Lunch?\n• Yes\n• No" });
    const call = await whatsapp.admin<{ call_id: string }>(`POST /people/${ann}/calls`, {
      to: channel.phone,
    });
    await whatsapp.admin(`POST /people/${ann}/calls/${call.call_id}/ends`, { to: channel.phone });
    await untilTold({ event: "messages", channelId: channel.id, type: "missing_call" });
    await whatsapp.admin(`POST /people/${channel.phone}/messages`, { to: ann, text: "from my phone" });
    expect(await untilTold({ event: "messages", text: "from my phone" })).toMatchObject({
      isEcho: true,
      chatId: ann,
    });
  });
});

describe("a node that is killed", () => {
  test("during a send: the message arrives once; messages received meanwhile are reported", async () => {
    const channel = await link();
    const ann = await whatsapp.addPerson();
    await whatsapp.admin(`POST /people/${channel.phone}/behaviour`, { acks: "held" });
    const messageId = await send(channel, ann, { text: "once" });
    await inbox(ann, 1);
    await service.end("SIGKILL");
    await whatsapp.admin(`POST /people/${ann}/messages`, { to: channel.phone, text: "while you were away" });
    await whatsapp.admin(`POST /people/${channel.phone}/behaviour`, { acks: "auto" });
    service = await stand.start();
    await untilTold({ event: "statuses", messageId, status: "delivered" });
    await untilTold({ event: "messages", channelId: channel.id, text: "while you were away" });
    expect((await conversation(ann, channel)).filter(({ text }) => text === "once")).toHaveLength(1);
    expect(await devicesOf(channel.phone)).toBe(1);
  });

  test("workers exit with their node", async () => {
    const channel = await link();
    await service.end("SIGKILL");
    const device = (): Promise<{ online?: boolean }> =>
      whatsapp.admin(`GET /people/${channel.phone}/devices/any`);
    await vi.waitUntil(async () => !(await device()).online, PATIENCE);
    service = await stand.start();
    await vi.waitUntil(async () => (await device()).online, PATIENCE);
  });
});
