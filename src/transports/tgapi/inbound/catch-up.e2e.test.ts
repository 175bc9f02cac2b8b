import { expect, test } from "vitest";
import type { TransportEvent } from "../../../core/transport/events.ts";
import { BOB, type Link, numbered, SHOP, sendUntilSent, textsOf, useTgapi } from "../e2e-test-kit.ts";
import { FAST, textMessage } from "../testing.ts";

const { admin, connect, open, seen, write } = useTgapi();

const isActive = (event: TransportEvent): boolean => event.kind === "link" && event.state.status === "active";

/** Waits until the last text has arrived; each arrived once, and in this order. */
async function told(link: Link, wanted: readonly string[]): Promise<void> {
  await expect.poll(() => textsOf(link), { timeout: 20_000 }).toContain(wanted.at(-1));
  expect(textsOf(link)).toEqual(wanted);
}

const lose = (count: number): Promise<unknown> => admin("POST", `/people/${SHOP}/losses`, { count });
const push = (kind: string): Promise<unknown> => admin("POST", `/people/${SHOP}/pushes`, { kind });
const fault = (content: object): Promise<unknown> => admin("POST", "/faults", content);

async function supergroup(): Promise<(text: string, count?: number) => Promise<unknown>> {
  const made = { kind: "supergroup", title: "Team", participants: [SHOP, BOB] };
  const { id } = await admin<{ id: number }>("POST", "/groups", made);
  return (text, count) =>
    admin("POST", `/people/${BOB}/messages`, { to: String(id), text, ...(count && { count }) });
}

test("missed messages are emitted once and in order, before the channel is active", async () => {
  const { link, session } = await connect();
  await write({ text: "first" });
  await told(link, ["first"]);
  await session.close();
  await write({ text: "n", count: 450 });
  link.events.length = 0;
  const second = await open(link);
  await link.waitFor(isActive);
  // The position may have been stored after the first message had been emitted; core deduplicates it by its id.
  expect(textsOf(link).filter((each) => each !== "first")).toEqual(numbered("n", 450));
  await second.close();
  // Telegram no longer has that many updates; the chats do.
  await admin("POST", "/settings", { difference_limit: 10 });
  await write({ text: "much", count: 150 });
  link.events.length = 0;
  await open(link);
  await link.waitFor(isActive);
  expect(textsOf(link)).toEqual(numbered("much", 150));
  expect(link.logs.some(({ message }) => message.includes("no longer has all updates"))).toBe(true);
});

test("forged server messages about a session in use are rejected, and cause no loss", async () => {
  const { link, session, bob } = await connect();
  const keys = await link.vault.readAll("auth-key");
  const kinds = ["msg_key", "session_id", "server_salt", "bad_server_salt", "old_msg_id", "replay"];
  const to = { chatType: "telegram", chatId: bob } as const;
  for (const kind of kinds) {
    await admin("POST", "/forgeries", { kind, times: 2 });
    for (const number of [1, 2, 3]) await write({ text: `${kind} ${number}` });
    await sendUntilSent(
      session,
      textMessage({ id: `to ${kind}`, to, content: { type: "text", text: `to ${kind}` } }),
    );
  }
  await told(
    link,
    kinds.flatMap((kind) => numbered(kind, 3)),
  );
  expect((await seen()).filter((each) => each.startsWith("to "))).toEqual(kinds.map((kind) => `to ${kind}`));
  expect(await link.vault.readAll("auth-key")).toEqual(keys);
  await session.close();
  // The keys allow another start, without a code.
  link.events.length = 0;
  await open(link);
  await link.waitFor(isActive);
});

test("lost updates are fetched, whatever number shows that they are missing", async () => {
  const { link } = await connect();
  const inGroup = await supergroup();
  const wanted: string[] = [];
  const missing = async (word: string, show: () => Promise<unknown>): Promise<void> => {
    await lose(4);
    await write({ text: word, count: 4 });
    wanted.push(...numbered(word, 4));
    await show();
    await told(link, wanted);
  };
  const writeAlso = (word: string) => async (): Promise<void> => {
    await write({ text: word });
    wanted.push(word);
  };
  await missing("by pts", writeAlso("after pts"));
  await missing("by updatesTooLong", () => push("too_long"));
  await missing("by seq", async () => {
    await lose(1);
    await push("numbered");
    await push("numbered");
  });
  await missing("by qts", async () => {
    await lose(3);
    for (const _ of [1, 2, 3, 4]) await push("secret");
  });
  // Applied updates are not applied again, and a number without a gap causes no request.
  const asked = await calls("updates.getDifference");
  for (const kind of ["numbered", "secret"]) await push(kind);
  await inGroup("one");
  await lose(4);
  await inGroup("lost", 4);
  await inGroup("two");
  wanted.push("one", ...numbered("lost", 4), "two");
  await told(link, wanted);
  expect(await calls("updates.getDifference")).toBe(asked);
  expect(link.deadLetters).toEqual([]);
});

test("a difference that is refused or gets no response is requested again without another update", async () => {
  const { link } = await connect({ ...FAST, callMs: 1_000 });
  const inGroup = await supergroup();
  await inGroup("hello");
  const wanted = ["hello"];
  await told(link, wanted);
  const troubles = [
    { kind: "silence" },
    { kind: "error", error: "RPC_CALL_FAIL", times: 3 },
    { kind: "error", error: "FLOOD_WAIT_3" },
  ];
  for (const [index, trouble] of troubles.entries()) {
    await fault({ method: "updates.getDifference", ...trouble });
    await lose(4);
    await write({ text: `${index}`, count: 5 });
    wanted.push(...numbered(`${index}`, 5));
    await told(link, wanted);
    await fault({ method: "updates.getChannelDifference", ...trouble });
    await lose(4);
    await inGroup(`${index} in the group`, 5);
    wanted.push(...numbered(`${index} in the group`, 5));
    await told(link, wanted);
  }
});

test("missed messages of supergroups are emitted, also when Telegram no longer has the updates", async () => {
  const { link, session } = await connect();
  const inGroup = await supergroup();
  await inGroup("known");
  await told(link, ["known"]);
  await session.close();
  const before = new Set(["known"]);
  const restart = async (act: () => Promise<unknown>, wanted: readonly string[]): Promise<void> => {
    link.events.length = 0;
    await act();
    const again = await open(link);
    await link.waitFor(isActive);
    // The position may have been stored after its message; core deduplicates it by its id.
    expect(textsOf(link).filter((each) => !before.has(each))).toEqual(wanted);
    for (const each of wanted) before.add(each);
    await again.close();
  };
  await restart(() => inGroup("some", 120), numbered("some", 120));
  await admin("POST", "/settings", { difference_limit: 50 });
  await restart(() => inGroup("many", 230), numbered("many", 230));
  // The account's own updates are also too many: the supergroups are named only after that.
  await restart(async () => {
    await write({ text: "much", count: 60 });
    await inGroup("more", 70);
  }, [...numbered("much", 60), ...numbered("more", 70)]);
});

test("messages that Telegram no longer has as updates are fetched again after a failure", async () => {
  const { link, session } = await connect({ ...FAST, callMs: 1_000 });
  await write({ text: "known" });
  await told(link, ["known"]);
  await session.close();
  await admin("POST", "/settings", { difference_limit: 10 });
  await write({ text: "much", count: 150 });
  await fault({ method: "messages.getHistory", kind: "error", error: "FLOOD_WAIT_3" });
  link.events.length = 0;
  await open(link, { ...FAST, callMs: 1_000 });
  await link.waitFor(isActive);
  expect(textsOf(link).filter((each) => each !== "known")).toEqual(numbered("much", 150));
});

async function calls(method: string): Promise<number> {
  const { items } = await admin<{ items: unknown[] }>("GET", `/calls?method=${method}&limit=10000`);
  return items.length;
}
