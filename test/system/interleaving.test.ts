import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type Act,
  type Chat,
  type Crowd,
  type Jolt,
  telegramCrowd,
  wapiCrowd,
  wapiSettings,
  whatsappCrowd,
} from "../kit/crowd.ts";
import { checkQueuesEmpty } from "../kit/load.ts";
import type { Item } from "../kit/receiver.ts";
import { must, requestId, type Stand, startStand } from "../kit/stand.ts";
import { startWhatsappStand, type WhatsappStand } from "../kit/whatsapp.ts";

/**
 * Two senders at the same moment, batches and duplicates never mix chats, drop or repeat a message. People write in all
 * chats at once, two clients of the account write to all chats at once, and meanwhile the messenger is disturbed.
 */

const PEOPLE = 3;
const CHATS = 2 * PEOPLE;
const RUNS = 3;

let stand: Stand;
let whatsapp: WhatsappStand;
let crowds: Readonly<Record<string, Crowd>>;
let runs = 0;
const accepted = new Map<string, string>();

beforeAll(async () => {
  whatsapp = await startWhatsappStand();
  stand = await startStand({ settings: { ...whatsapp.environment, PACING: "off" } });
  await stand.start(await wapiSettings(stand));
  const telegram = await telegramCrowd(stand, PEOPLE);
  const subscriptions = { messagesAndStatuses: true, channelsUpdates: true };
  await must(stand.call("PATCH", "/v3/webhooks", { webhooksUri: stand.receiver.url, subscriptions }));
  crowds = {
    telegram,
    wapi: await wapiCrowd(stand, PEOPLE),
    whatsapp: await whatsappCrowd(stand, whatsapp, PEOPLE),
  };
});
afterAll(async () => {
  await stand.stop();
  await whatsapp.close();
});

/** What happens in one run, with one entry for each chat. */
interface Script {
  readonly acts: readonly (readonly Act[])[];
  /** How many messages each of the two clients has for each chat. */
  readonly sends: readonly (readonly number[])[];
  readonly jolts: readonly Jolt[];
}

const perChat = <T>(each: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(each, { minLength: CHATS, maxLength: CHATS });
const act = fc.constantFrom<Act>("write", "write", "echo", "repeat");
const script: fc.Arbitrary<Script> = fc.record({
  acts: perChat(fc.array(act, { maxLength: 12, size: "max" })),
  sends: fc.tuple(perChat(fc.nat(5)), perChat(fc.nat(5))),
  jolts: fc.array(fc.record({ after: fc.nat(40), dice: fc.nat(96) }), { minLength: 1, maxLength: 3 }),
});

test.each([
  { names: ["telegram"] },
  { names: ["wapi"] },
  { names: ["whatsapp"] },
  { names: ["telegram", "wapi", "whatsapp"] },
])("$names: each message is told and arrives once, in its chat and its place", async ({ names }) => {
  const some = names.map((name) => ({ name, crowd: crowds[name] as Crowd }));
  const property = fc.asyncProperty(fc.tuple(...some.map(() => script)), async (scripts) => {
    const tag = `run${++runs}`;
    const performances = some.map(({ name, crowd }, index) =>
      perform(`${tag} ${name}`, crowd, scripts[index] as Script),
    );
    for (const sent of await Promise.all(performances)) for (const each of sent) await check(each);
    await checkQueuesEmpty(stand);
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
});

interface Sent {
  readonly messageId: string;
  readonly text: string;
}

/** What was accepted of each client for a chat, in that order. */
interface Outcome {
  readonly tag: string;
  readonly crowd: Crowd;
  readonly chat: Chat;
  readonly name: string;
  readonly sent: readonly (readonly Sent[])[];
}

async function perform(tag: string, crowd: Crowd, { acts, sends, jolts }: Script): Promise<Outcome[]> {
  await crowd.begin();
  const done = progress();
  const names = crowd.chats.map((_, index) => `${tag} chat${index}`);
  const writing = crowd.chats.map(async (chat, index) => {
    for (const [number, each] of (acts[index] ?? []).entries()) {
      const known = crowd.acts.includes(each) ? each : "write";
      await crowd.act(chat, known, `${names[index]} ${known} ${number}`);
      done.step();
    }
  });
  const clients = sends.map((counts, client) =>
    Promise.all(
      crowd.chats.map(async (chat, index) => {
        const sent: Sent[] = [];
        for (let number = 0; number < (counts[index] ?? 0); number++)
          sent.push(await send(client, crowd, chat, `${names[index]} out ${client} ${number}`));
        return sent;
      }),
    ),
  );
  const trouble = disturb(crowd, jolts, done);
  await Promise.all(writing);
  done.finish();
  const [sent] = await Promise.all([Promise.all(clients), trouble]);
  await crowd.end();
  return crowd.chats.map((chat, index) => ({
    tag,
    crowd,
    chat,
    name: names[index] ?? "",
    sent: sent.map((ofClient) => ofClient[index] ?? []),
  }));
}

async function disturb(crowd: Crowd, jolts: readonly Jolt[], done: Progress): Promise<void> {
  for (const jolt of jolts.toSorted((a, b) => a.after - b.after)) {
    await done.until(jolt.after);
    await crowd.jolt(jolt);
  }
}

interface Progress {
  step(): void;
  finish(): void;
  /** Resolves after so many steps, and at the end in any case. */
  until(steps: number): Promise<void>;
}

function progress(): Progress {
  let steps = 0;
  const waiting: { steps: number; resolve(): void }[] = [];
  const tell = (): void => {
    for (const each of waiting) if (each.steps <= steps) each.resolve();
  };
  return {
    step() {
      steps++;
      tell();
    },
    finish() {
      steps = Number.POSITIVE_INFINITY;
      tell();
    },
    until: (wanted) =>
      new Promise((resolve) => {
        waiting.push({ steps: wanted, resolve });
        tell();
      }),
  };
}

/** The first client speaks v2, the other one v3. */
async function send(client: number, { chatType }: Crowd, chat: Chat, text: string): Promise<Sent> {
  const { channelId, chatId } = chat;
  const v2 = { channel_id: channelId, recipient: { chat_type: chatType, chat_id: chatId }, text };
  const v3 = { channelId, chatType, chatId, text };
  const { json } = await must(
    client === 0 ? stand.call("POST", "/v2/messages", v2) : stand.call("POST", "/v3/message", v3),
  );
  const messageId = client === 0 ? requestId(json) : (json as { messageId: string }).messageId;
  accepted.set(messageId, text);
  return { messageId, text };
}

async function check({ crowd, chat, name, sent }: Outcome): Promise<void> {
  const mine = (texts: readonly string[]): string[] => texts.filter((text) => text.startsWith(`${name} `));
  const given = async (): Promise<string[]> => mine(await crowd.given(chat));
  const told = (): string[] => mine(toldIn(chat).map(({ text = "" }) => text));
  const written = mine(await crowd.seen(chat)).filter((text) => !text.includes(" out "));
  await eventually(async () => Math.min(told().length, (await given()).length) >= written.length);
  expect(told().toSorted(), `told of ${name}`).toEqual(written.toSorted());
  expect(told(), `order of what was told of ${name}`).toEqual(await given());

  const messages = sent.flat();
  await eventually(() => messages.every(({ messageId }) => statusesOf(messageId).length > 0));
  for (const { messageId, text } of messages) {
    const ranks = statusesOf(messageId).map((status) => RANKS.indexOf(status));
    expect(ranks, `statuses of ${text}`).toEqual([...new Set(ranks)].toSorted((a, b) => a - b));
    expect(ranks.length, `statuses of ${text}`).toBeGreaterThan(0);
    expect(ranks[0], `statuses of ${text}: ${statusesOf(messageId)}`).toBeGreaterThanOrEqual(0);
  }
  const arrived = async () => mine(await crowd.seen(chat)).filter((text) => text.includes(" out "));
  // A phone that could not read a message shows it when it has asked for it again.
  await eventually(async () => (await arrived()).length >= messages.length);
  expect((await arrived()).toSorted(), `arrived in ${name}`).toEqual(
    messages.map(({ text }) => text).toSorted(),
  );
  const taken = mine(await crowd.taken(chat));
  for (const ofClient of sent) {
    const texts = ofClient.map(({ text }) => text);
    expect(
      taken.filter((text) => texts.includes(text)),
      `order in ${name}`,
    ).toEqual(texts);
  }
}

const RANKS = ["sent", "delivered", "read"];

/** What follows tells what is missing when it does not come. */
async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(condition, { interval: 20 }).catch(() => undefined);
}

/** Items of all webhooks, each webhook once however often it came. */
function items(): Item[] {
  const first = new Map(stand.receiver.posts.map((post) => [String(post.headers["webhook-id"]), post]));
  return [...first.values()].flatMap((post) => post.items);
}

const toldIn = ({ channelId, chatId }: Chat): Item[] =>
  items().filter(
    (item) => item.kind === "messages" && item.channelId === channelId && item.chatId === chatId,
  );

const statusesOf = (messageId: string): string[] =>
  items()
    .filter((item) => item.kind === "statuses" && item.messageId === messageId)
    .map(({ status }) => status);

test("in all that was told each message has one id, one text, and is known", async () => {
  await checkQueuesEmpty(stand);
  const told = items().filter(({ kind, text }) => kind === "messages" && text?.startsWith("run"));
  const ids = told.map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(told.map(({ text }) => text)).size).toBe(ids.length);
  const known = new Set([...accepted.keys(), ...ids]);
  const strangers = items().filter(({ kind, messageId }) => kind === "statuses" && !known.has(messageId));
  expect(strangers).toEqual([]);
  const stored = await stand.db.query<{ id: string }>("select id from messages where text like 'run%'");
  expect(new Set(stored.map(({ id }) => id))).toEqual(known);
});
