import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { createAccount } from "../../src/core/account/accounts.ts";
import { credentialsContext } from "../../src/core/channel/credentials/credentials.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSeal } from "../../src/platform/seal.ts";
import { parseSecretKey } from "../../src/platform/secret-key.ts";
import { queueMessages } from "../kit/queue.ts";
import { type Stand, subscribe } from "../kit/stand.ts";
import type { HostileCalls } from "./hostile-calls.ts";

const APP_SECRET = "secret of the hostile tenant's app";
const NUMBER_ID = "106540352242922";
const CHANNELS = 9;
const CHATS = 64;
const QUEUED = 50_000;
const HANG_MS = 3_600_000;

/** A tenant that uses everything it is allowed, as expensively as possible. */
export interface HostileTenant {
  /**
   * Sends bodies and callbacks from now on, in a process of low priority. Returns a function that stops it and
   * resolves with the number of responses by status.
   */
  attack(): () => Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

interface Account {
  readonly accountId: number;
  readonly accessToken: string;
  readonly apiKey: string;
}

/** Its messenger and its receivers hang; its receivers have the largest settings and long queues. */
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
      const child = fork(fileURLToPath(new URL("hostile-calls.ts", import.meta.url)));
      process.once("exit", () => child.kill("SIGKILL"));
      child.send({
        serviceUrl,
        apiKey: account.apiKey,
        appSecret: APP_SECRET,
        numberId: NUMBER_ID,
      } satisfies HostileCalls);
      return async () => {
        child.send("end");
        const [answers] = (await once(child, "message")) as [Readonly<Record<string, number>>];
        return answers;
      };
    },
    async close() {
      receiver.close();
      await db.close();
    },
  };
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

/** One receiver with the largest settings, and as many addresses for single events as allowed. */
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

async function post(url: string, key: string, body: object): Promise<void> {
  const answer = await request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.body.dump();
}

/** Accepts the test of its address, and responds to nothing else. */
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
