import type { Account } from "../members.ts";
import type { Told } from "../receiver.ts";
import type { Stage } from "../stage.ts";
import type { Conversation, Written } from "../traffic.ts";
import { type Facts, type Outbound, originalOf, type Violation } from "./facts.ts";
import { type Attempt, certainOrder } from "./order.ts";

/** Webhook items that one account's receiver got since the start of a round. */
interface Heard {
  readonly account: Account;
  readonly items: readonly Told[];
  readonly statuses: ReadonlyMap<string, Outbound["statuses"]>;
}

/** The positions of the accounts' receivers at the start of a round. */
export type Beginning = ReadonlyMap<Account, number>;

/** A round with everything that was written in it. */
export interface Round {
  readonly number: number;
  readonly conversations: readonly Conversation[];
  readonly beginning: Beginning;
  /** How often a process that sends was frozen. */
  readonly freezes: number;
}

export function beginningOf({ accounts }: Pick<Stage, "accounts">): Beginning {
  return new Map(accounts.map((account) => [account, account.receiver.told.length]));
}

/** Reads the present state of these conversations from all sides. */
export async function collect(
  stage: Stage,
  { number, conversations, beginning }: Round,
): Promise<{ readonly facts: readonly Facts[]; readonly violations: readonly Violation[] }> {
  // In this order, so that no effect is seen without its cause.
  const shown = await Promise.all(conversations.map(read));
  const heard = new Map(
    stage.accounts.map((account) => [account, hear(account, beginning.get(account) ?? 0)]),
  );
  const stored = await storedIn(stage, number, [...heard.values()]);
  const facts = conversations.flatMap((conversation, index) => {
    const [there, said] = [shown[index], heard.get(conversation.account)];
    return there === undefined || said === undefined ? [] : [factsOf(conversation, there, said, stored)];
  });
  return { facts, violations: strays(stage, [...heard.values()], stored) };
}

function hear(account: Account, from: number): Heard {
  const items = account.receiver.told.slice(from);
  const statuses = new Map<string, Outbound["statuses"][number][]>();
  for (const [place, { kind, messageId, status, error }] of items.entries())
    if (kind === "statuses")
      statuses.set(messageId, [...(statuses.get(messageId) ?? []), { status, error, place }]);
  return { account, items, statuses };
}

/** The stored messages by text, and the accounts that have them by id. */
interface Stored {
  readonly byText: ReadonlyMap<string, readonly StoredRow[]>;
  readonly accounts: ReadonlyMap<string, number>;
}

interface StoredRow {
  readonly id: string;
  readonly text: string;
  readonly direction: "out" | "echo";
  readonly account_id: number;
}

async function storedIn({ cells }: Stage, round: number, heard: readonly Heard[]): Promise<Stored> {
  // A receipt for a message of an earlier round may arrive now.
  const told = heard.flatMap(({ statuses }) => [...statuses.keys()]);
  const found = cells.map(({ postgres }) =>
    postgres.query<StoredRow>(
      "select id, coalesce(text, '') as text, direction, account_id from messages where direction <> 'in' and (text like $1 or id = any($2))",
      [`r${round} %`, told],
    ),
  );
  const rows = (await Promise.all(found)).flat();
  return {
    byText: Map.groupBy(rows, ({ text }) => originalOf(text)),
    accounts: new Map(rows.map((row) => [row.id, row.account_id])),
  };
}

/** The messenger's view of a conversation. */
type Shown = Pick<Facts, "shown" | "taken" | "written" | "ordered">;

async function read(conversation: Conversation): Promise<Shown> {
  const { chat, name, messenger, inbound } = conversation;
  const { crowd } = messenger;
  const mine = (texts: readonly string[]): string[] => texts.filter((text) => text.startsWith(`${name} `));
  const seen = mine(await crowd.seen(chat));
  const written = seen.filter((text) => !isOurs(text));
  const missing = inbound.find((text) => !written.includes(text));
  if (missing !== undefined) throw new Error(`the emulator does not show "${missing}", which it took`);
  const taken = crowd.taken === undefined ? seen : mine(await crowd.taken(chat));
  return {
    shown: seen.filter(isOurs),
    taken: taken.filter(isOurs).map(originalOf),
    written,
    ordered: crowd.given === undefined ? written : certainOrder(written, await attemptsOf(conversation)),
  };
}

function factsOf(conversation: Conversation, shown: Shown, heard: Heard, stored: Stored): Facts {
  const { chat, name, messenger, clients } = conversation;
  const told = heard.items.filter(
    (item) => item.kind === "messages" && item.channelId === chat.channelId && item.chatId === chat.chatId,
  );
  return {
    ...shown,
    name: `${name} (${messenger.transport})`,
    isIdempotent: messenger.resend !== "unsafe",
    clients: clients.map((client) => client.map((message) => outboundOf(message, heard, stored))),
    told: told.flatMap(({ text = "", messageId }) =>
      text.startsWith(`${name} `) && !isOurs(text) ? [{ text, messageId }] : [],
    ),
  };
}

/** Whether a client of the interface wrote it. */
function isOurs(text: string): boolean {
  return /^r\d+ c\d+ [ab] /.test(text);
}

function outboundOf({ text, accepted, requests, edit }: Written, heard: Heard, stored: Stored): Outbound {
  const rows = stored.byText.get(text) ?? [];
  const ids = rows.filter(({ direction }) => direction === "out").map(({ id }) => id);
  return {
    text,
    accepted,
    requests,
    ids,
    echoes: rows.length - ids.length,
    statuses: ids.flatMap((id) => heard.statuses.get(id) ?? []),
    edit: edit && {
      ...edit,
      told: heard.items.some((item) => item.kind === "messages" && item.text === edit.text),
    },
  };
}

async function attemptsOf({ messenger }: Conversation): Promise<Attempt[]> {
  const { items } = await messenger.admin<{ items: { text: string; status: number }[] }>(
    "GET",
    "/callbacks?limit=10000",
  );
  return items.map(({ text, status }) => ({ body: text, taken: status === 200 }));
}

/** Items for a receiver of another account, and webhooks that changed between attempts. */
function strays(stage: Stage, heard: readonly Heard[], stored: Stored): Violation[] {
  return heard.flatMap(({ account, items }) => [
    ...items
      .filter((item) => ownerOf(stage, item, stored) !== account.accountId)
      .map((item) => stray(account, item, ownerOf(stage, item, stored))),
    ...account.receiver.violations.map((what) => ({
      conversation: `account ${account.accountId}`,
      rule: "same id, same bytes" as const,
      what,
      mayCome: false,
    })),
  ]);
}

function stray({ accountId }: Account, { kind, messageId }: Told, owner: number | undefined): Violation {
  const isLost = owner === undefined;
  return {
    conversation: `account ${accountId}`,
    rule: isLost ? "told is stored" : "told to its account",
    what: `its receiver was told of ${kind} ${messageId}, which is ${isLost ? "not stored" : `account ${owner}'s`}`,
    mayCome: false,
  };
}

/** By its channel, or that of the message; undefined if the message is not stored. */
function ownerOf(stage: Stage, { channelId, messageId }: Told, stored: Stored): number | undefined {
  if (channelId !== undefined) return stage.accountOf(channelId).accountId;
  return stored.accounts.get(messageId);
}
