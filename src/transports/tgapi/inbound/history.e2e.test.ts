import { expect, test } from "vitest";
import type { HistoryMessage } from "../../../core/transport/events.ts";
import { BOB, type Link, numbered, SHOP, textsOf, useTgapi } from "../e2e-test-kit.ts";

const { admin, makeLink, open, people, scan, write } = useTgapi();

const batches = (link: Link) => link.events.filter((event) => event.kind === "history");
const imported = (link: Link): HistoryMessage[] => batches(link).flatMap(({ messages }) => messages);
const words = (link: Link): string[] =>
  imported(link).map(({ body }) => ("text" in body ? String(body.text) : body.type));
const isDone = (link: Link): boolean => batches(link).some((event) => event.isDone === true);

/** The link of an account whose history is to be imported. */
function wishing(): Link {
  const link = makeLink();
  const wish = { since: new Date(Date.now() - 86_400_000) };
  return Object.assign(link, { history: async () => (isDone(link) ? null : wish) });
}

async function withHistory(): Promise<{ link: Link; bob: string; group: string }> {
  const bob = await people();
  const made = { kind: "supergroup", title: "Team", participants: [SHOP, BOB] };
  const { id } = await admin<{ id: number }>("POST", "/groups", made);
  await admin("POST", `/people/${BOB}/messages`, { to: String(id), text: "in the group" });
  await write({ text: "n", count: 250 });
  await admin("POST", `/people/${SHOP}/messages`, { to: BOB, text: "answer" });
  return { link: wishing(), bob, group: String(id) };
}

async function done(link: Link): Promise<void> {
  await expect.poll(() => isDone(link), { timeout: 60_000 }).toBe(true);
}

test("all chats are imported, each from its newest page back, and nothing of it is live", async () => {
  const { link, bob } = await withHistory();
  await open(link);
  await scan(link);
  await done(link);
  const own = [...numbered("n", 250), "answer"];
  expect(words(link).toSorted()).toEqual([...own, "in the group"].toSorted());
  const pages = batches(link)
    .map(({ messages }) => messages.filter(({ chatId }) => chatId === bob))
    .filter((page) => page.length > 0);
  expect(pages.map((page) => page.length)).toEqual([100, 100, 51]);
  const inOrder = pages.toReversed().flat();
  expect(inOrder.map(({ body }) => ("text" in body ? body.text : ""))).toEqual(own);
  expect(inOrder.at(-1)).toMatchObject({ direction: "echo", status: "sent", contact: { name: "Bob" } });
  // What is new in a supergroup since the account last looked, Telegram reports at the login.
  expect(textsOf(link).filter((text) => text !== "in the group")).toEqual([]);
  expect([...(await link.vault.readAll("history")).keys()]).toEqual([]);
});

test("a session that ends between two pages is continued by the next; flood waits are kept", async () => {
  const { link, bob } = await withHistory();
  let count = 0;
  const { promise: hung, resolve: tellHung } = Promise.withResolvers<void>();
  link.onEmit(async (event) => {
    if (event.kind !== "history" || event.messages[0]?.chatId !== bob || ++count < 2) return;
    tellHung();
    await new Promise(() => undefined);
  });
  const first = await open(link);
  await scan(link);
  await hung;
  await first.close();
  const before = imported(link).filter(({ chatId }) => chatId === bob).length;
  expect(before).toBe(100);
  link.onEmit(null);
  await admin("POST", "/faults", { method: "messages.getHistory", error: "FLOOD_WAIT_1" });
  await open(link);
  await done(link);
  expect(words(link).toSorted()).toEqual([...numbered("n", 250), "answer", "in the group"].toSorted());
});

test("a message that was imported can be deleted by its person", async () => {
  const bob = await people();
  const { message_id: sent } = await write({ text: "oops" });
  const link = wishing();
  await open(link);
  await scan(link);
  await done(link);
  const [message] = imported(link);
  await admin("POST", `/people/${BOB}/deletions`, { chat: SHOP, message_id: sent });
  const event = await link.waitFor(({ kind }) => kind === "deleted");
  expect(event).toMatchObject({ ref: { chatId: bob, externalId: message?.externalId } });
});
