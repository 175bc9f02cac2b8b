import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { createAccount } from "../src/core/account/accounts.ts";
import { credentialsContext } from "../src/core/channel/credentials.ts";
import { type Database, openDatabase } from "../src/database/database.ts";
import { newId } from "../src/platform/ids.ts";
import { createLog } from "../src/platform/log.ts";
import { createSeal } from "../src/platform/seal.ts";
import { parseSecretKey } from "../src/platform/secret-key.ts";
import { queueMessages } from "./queue.ts";
import { type Stand, subscribe } from "./stand.ts";

const APP_SECRET = "secret of the hostile tenant's app";
const NUMBER_ID = "106540352242922";
const CHANNELS = 9;
const CHATS = 64;
const QUEUED = 50_000;
/** What the default limit of 1,000 requests a minute lets pass. */
const PAUSE_MS = 60;
const HANG_MS = 3_600_000;

/** A tenant that does all that it may, as expensively as it may. */
export interface HostileTenant {
  /** Sends bodies and callbacks from now on; resolves with what ends it and tells how many were answered how. */
  attack(): () => Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

interface Account {
  readonly accountId: number;
  readonly accessToken: string;
  readonly apiKey: string;
}

/** Its messenger and its receivers hang; its receivers want as much at a time as can be set, and much waits for them. */
export async function startHostileTenant(stand: Stand, serviceUrl: string): Promise<HostileTenant> {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  const account = await createAccount(db, { name: "Hostile" });
  const receiver = await startHangingReceiver();
  await insertChannel(stand, db, account, "wapi", {
    phone_number_id: NUMBER_ID,
    waba_id: "102290129340398",
    access_token: "a token that nobody gave",
    app_secret: APP_SECRET,
  });
  const channels = await hangingChannels(stand, db, account);
  await setWebhooks({ account, serviceUrl, receiver: receiver.url });
  await queueMessages({ databaseUrl: stand.databaseUrl, account }, { count: QUEUED, chats: 1_000 });
  await sendToHangingChats(account, serviceUrl, channels);
  return {
    attack() {
      const end = new AbortController();
      const answers: Record<string, number> = {};
      const count = (what: string) => {
        answers[what] = (answers[what] ?? 0) + 1;
      };
      const works = [
        repeat(end.signal, () => sendBody(account, serviceUrl), count),
        repeat(end.signal, () => callBack(serviceUrl), count),
        repeat(end.signal, () => callBack(serviceUrl), count),
      ];
      return async () => {
        end.abort();
        await Promise.all(works);
        return answers;
      };
    },
    async close() {
      receiver.close();
      await db.close();
    },
  };
}

async function repeat(
  end: AbortSignal,
  work: () => Promise<string>,
  count: (what: string) => void,
): Promise<void> {
  while (!end.aborted) {
    count(await work().catch((error: unknown) => `no answer (${String(error)})`));
    await sleep(PAUSE_MS);
  }
}

async function hangingChannels(stand: Stand, db: Database, account: Account): Promise<string[]> {
  const channels: string[] = [];
  for (let n = 0; n < CHANNELS; n++) {
    const bot = (await admin(stand, "/bots", {})) as { id: number; token: string };
    await admin(stand, "/faults", { bot_id: bot.id, method: "sendMessage", hang_ms: HANG_MS });
    channels.push(await insertChannel(stand, db, account, "telegram", { telegram_token: bot.token }));
  }
  return channels;
}

async function admin({ admin: root }: Stand, path: string, body: object): Promise<unknown> {
  const answer = await request(root + path, { method: "POST", body: JSON.stringify(body) });
  return answer.body.json();
}

async function insertChannel(
  { secretKey }: Stand,
  db: Database,
  { accountId }: Account,
  transport: string,
  credentials: object,
): Promise<string> {
  const id = newId();
  const sealed = createSeal(parseSecretKey(secretKey)).seal(
    JSON.stringify(credentials),
    credentialsContext(id),
  );
  await db.query(
    `insert into channels (account_id, id, transport, status, credentials, messenger_id, phone)
     values ($1, $2, $3, 'active', $4, $5, '15550783881')`,
    [accountId, id, transport, sealed, transport === "wapi" ? NUMBER_ID : id],
  );
  return id;
}

/** One receiver with the largest numbers, and as many addresses of single events as there may be. */
async function setWebhooks(to: { account: Account; serviceUrl: string; receiver: string }): Promise<void> {
  const { account, serviceUrl, receiver } = to;
  await subscribe({ account }, serviceUrl, receiver);
  const call = (method: "GET" | "PATCH" | "POST", path: string, key: string, body?: object) =>
    request(serviceUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  const listed = await call("GET", "/v3/webhooks/receivers", account.apiKey);
  const [first] = (await listed.body.json()) as { receiverId: string }[];
  const largest = { maxItems: 10_000, concurrency: 16 };
  await call("PATCH", `/v3/webhooks/receivers/${first?.receiverId}`, account.apiKey, largest);
  const data = Array.from({ length: 99 }, (_, n) => ({ url: `${receiver}${n}`, event: "message.add" }));
  await call("POST", "/v2/webhooks", account.accessToken, { data });
}

async function sendToHangingChats(account: Account, url: string, channels: readonly string[]): Promise<void> {
  for (const channelId of channels) {
    const chats = Array.from({ length: CHATS }, (_, chat) => String(7_000_000 + chat));
    await Promise.all(
      chats.map((chatId) =>
        post(`${url}/v3/message`, account.apiKey, { channelId, chatType: "telegram", chatId, text: "hangs" }),
      ),
    );
  }
}

const contacts = (digit: number): string =>
  JSON.stringify(
    Array.from({ length: 100 }, (_, n) => ({
      id: `contact-${n}`,
      responsibleUserId: "1",
      name: "N".repeat(200),
      contactData: Array.from({ length: 40 }, (_, chat) => ({
        chatType: "whatsapp",
        chatId: `790${digit}${n}${1000 + chat}`,
      })),
    })),
  );
const FAULTY = `[${"{},".repeat(6_000)}{}]`;
const LONG = JSON.stringify({ channelId: newId(), chatType: "telegram", text: "\u0001".repeat(80_000) });
/** Each is as large as its route takes: what is stored and new each time, what is refused for its items, and late. */
const BODIES: readonly (readonly [string, string])[] = [1, 2].flatMap((digit) => [
  ["/v3/contacts", contacts(digit)],
  ["/v3/contacts", FAULTY],
  ["/v3/message", LONG],
]);
let turn = 0;

async function sendBody({ apiKey }: Account, url: string): Promise<string> {
  const [path, body] = BODIES[turn++ % BODIES.length] ?? ["/", ""];
  const answer = await request(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body,
  });
  await answer.body.dump();
  return `${path} ${answer.statusCode}`;
}

let calls = 0;

/** A signed callback with hundreds of messages that are new. */
async function callBack(url: string): Promise<string> {
  const messages = Array.from({ length: 500 }, () => ({
    from: String(16_500_000_000 + (calls % 50_000)),
    id: `wamid.${++calls}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: "text",
    text: { body: "x".repeat(1_000) },
  }));
  const metadata = { display_phone_number: "15550783881", phone_number_id: NUMBER_ID };
  const value = { messaging_product: "whatsapp", metadata, contacts: [], messages };
  const entry = [{ id: "102290129340398", changes: [{ field: "messages", value }] }];
  const body = JSON.stringify({ object: "whatsapp_business_account", entry });
  const signature = createHmac("sha256", APP_SECRET).update(body).digest("hex");
  const answer = await request(`${url}/in/wapi`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` },
    body,
  });
  await answer.body.dump();
  return `/in/wapi ${answer.statusCode}`;
}

async function post(url: string, key: string, body: object): Promise<void> {
  const answer = await request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.body.dump();
}

/** Takes the test of its address, and answers nothing else. */
async function startHangingReceiver(): Promise<{ url: string; close(): void }> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      if (Buffer.concat(chunks).toString() === '{"test":true}') response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
