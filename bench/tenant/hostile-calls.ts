import { createHmac } from "node:crypto";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { newId } from "../../src/platform/ids.ts";

/** The input of this process. */
export interface HostileCalls {
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly appSecret: string;
  readonly numberId: string;
}

/** The rate that the default limit of 1,000 requests a minute allows. */
const PAUSE_MS = 60;

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
/** Each is as large as its route allows: stored and new each time, or rejected late because of its items. */
const BODIES: readonly (readonly [string, string])[] = [1, 2].flatMap((digit) => [
  ["/v3/contacts", contacts(digit)],
  ["/v3/contacts", FAULTY],
  ["/v3/message", LONG],
]);
let turn = 0;

async function sendBody({ apiKey, serviceUrl: url }: HostileCalls): Promise<string> {
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
/** A signed callback with hundreds of new messages. */
async function callBack({ serviceUrl: url, appSecret, numberId }: HostileCalls): Promise<string> {
  const messages = Array.from({ length: 500 }, () => ({
    from: String(16_500_000_000 + (calls % 50_000)),
    id: `wamid.${process.pid}.${++calls}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: "text",
    text: { body: "x".repeat(1_000) },
  }));
  const metadata = { display_phone_number: "15550783881", phone_number_id: numberId };
  const value = { messaging_product: "whatsapp", metadata, contacts: [], messages };
  const entry = [{ id: "102290129340398", changes: [{ field: "messages", value }] }];
  const body = JSON.stringify({ object: "whatsapp_business_account", entry });
  const signature = createHmac("sha256", appSecret).update(body).digest("hex");
  const answer = await request(`${url}/in/wapi`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` },
    body,
  });
  await answer.body.dump();
  return `/in/wapi ${answer.statusCode}`;
}

async function repeat(
  end: AbortSignal,
  call: () => Promise<string>,
  count: (answer: string) => void,
): Promise<void> {
  while (!end.aborted) {
    count(await call().catch((error: unknown) => `no answer (${String(error)})`));
    await sleep(PAUSE_MS);
  }
}

// A tenant's program runs on another machine; here it gets the CPU time that the others leave.
setPriority(constants.priority.PRIORITY_LOW);
const end = new AbortController();
const answers: Record<string, number> = {};
const count = (answer: string): void => {
  answers[answer] = (answers[answer] ?? 0) + 1;
};
process.once("disconnect", () => process.exit());
const [target] = (await once(process, "message")) as [HostileCalls];
process.once("message", () => end.abort());
await Promise.all([
  repeat(end.signal, () => sendBody(target), count),
  repeat(end.signal, () => callBack(target), count),
  repeat(end.signal, () => callBack(target), count),
]);
process.send?.(answers, () => process.disconnect());
