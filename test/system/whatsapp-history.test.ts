import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { HistoryMessage } from "../../src/core/transport/events.ts";
import {
  type Account,
  type Hosts,
  hastySessions,
  openAccount,
  scan,
  startWhatsappStand,
  type WhatsappStand,
} from "../kit/whatsapp.ts";

let stand: WhatsappStand;
let sessions: Hosts;
const open: Account[] = [];

beforeAll(async () => {
  stand = await startWhatsappStand();
  sessions = hastySessions();
  await stand.admin("POST /settings", { history_chunk: 3 });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ session }) => session.close()));
});
afterAll(() => stand.close());

/** A channel that is to import its history, with a phone that has one: five texts of Ann's, and two answers. */
async function withHistory(days = 30): Promise<{ account: Account; ann: string }> {
  const account = await openAccount(stand, sessions);
  open.push(account);
  Object.assign(account.link, {
    history: async () => (isDone(account) ? null : { since: new Date(Date.now() - days * 86_400_000) }),
  });
  await account.session.close();
  account.session = await sessions.open(account.link);
  const ann = await stand.addPerson("Ann");
  const write = (from: string, to: string, text: string) =>
    stand.admin(`POST /people/${from}/messages`, { to, text, message_id: text.toUpperCase() });
  for (const text of ["a1", "a2", "a3"]) await write(ann, account.phone, text);
  for (const text of ["s1", "s2"]) await write(account.phone, ann, text);
  for (const text of ["a4", "a5"]) await write(ann, account.phone, text);
  return { account, ann };
}

const batches = ({ link }: Account) => link.events.filter((event) => event.kind === "history");
const isDone = (account: Account): boolean => batches(account).some((event) => event.isDone === true);
const imported = (account: Account): HistoryMessage[] => batches(account).flatMap(({ messages }) => messages);
const texts = (account: Account): string[] =>
  imported(account).map(({ body }) => ("text" in body ? String(body.text) : body.type));
const untilDone = (account: Account) =>
  vi.waitUntil(() => isDone(account), { timeout: 60_000, interval: 20 });

test("the parts of a history are imported once, with direction, name and status, and no message is live", async () => {
  const { account, ann } = await withHistory();
  await scan(stand, account);
  await untilDone(account);
  expect(texts(account).toSorted()).toEqual(["a1", "a2", "a3", "a4", "a5", "s1", "s2"]);
  expect(imported(account).find(({ externalId }) => externalId === "A5")).toMatchObject({
    chatType: "whatsapp",
    chatId: ann,
    direction: "in",
    contact: { name: "Ann", phone: ann },
  });
  expect(imported(account).find(({ externalId }) => externalId === "S1")).toMatchObject({
    direction: "echo",
    status: "delivered",
  });
  expect(batches(account).flatMap(({ progress }) => progress ?? [])).toEqual([33, 67, 99]);
  expect(account.link.events.filter(({ kind }) => kind === "message")).toEqual([]);
  expect((await account.link.vault.readAll("history")).size).toBe(0);
});

test("a session that ends between two batches is continued by the next", async () => {
  const { account } = await withHistory();
  // The second batch is never stored.
  let count = 0;
  const { promise: hung, resolve: tellHung } = Promise.withResolvers<void>();
  account.link.onEmit(async (event) => {
    if (event.kind !== "history" || event.messages.length === 0 || ++count < 2) return;
    tellHung();
    await new Promise(() => undefined);
  });
  await scan(stand, account);
  await hung;
  await account.session.close();
  expect(texts(account)).toEqual(["s2", "a4", "a5"]);
  account.link.onEmit(null);
  account.session = await sessions.open(account.link);
  await untilDone(account);
  expect(texts(account).toSorted()).toEqual(["a1", "a2", "a3", "a4", "a5", "s1", "s2"]);
});
