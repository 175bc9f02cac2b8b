import { describe, expect, test } from "vitest";
import { NoResponse, Refusal } from "../errors.ts";
import { People } from "../people/people.ts";
import type { MaxChat } from "../people/profile.ts";
import { ME } from "../testing.ts";
import { OP } from "../wire/opcodes.ts";
import { catchUp } from "./catch-up.ts";
import { OVERLAP_MS } from "./marker.ts";
import { patiently } from "./patience.ts";

const SINCE = 1_790_000_000_000;

interface Message {
  readonly id: string;
  readonly time: number;
  readonly status?: string;
}
/** This many messages, each `every` milliseconds after the previous one. */
const written = (count: number, { from = SINCE + 1, every = 10 } = {}): readonly Message[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(1_000 + index), time: from + index * every }));

interface Server {
  readonly messages: readonly Message[];
  /** The maximum number of messages in a response. */
  readonly page?: number;
  /** Whether a page forward includes `from` itself. */
  readonly isInclusive?: boolean;
  readonly pagesOnlyBack?: boolean;
  readonly refuses?: Error;
  /** How often it refuses; always unless given. */
  readonly refusals?: number;
  /** What it refuses; everything unless given. */
  readonly refused?: number | string;
  readonly others?: readonly MaxChat[];
  /** Unreadable messages differ in each response. */
  readonly isUnsteady?: boolean;
  /** Default true. */
  readonly maySkip?: boolean;
}

/** Runs a catch-up against a server of this kind; returns what was stored and requested. */
async function run(server: Server, chats: readonly MaxChat[] = [chatOf(server)], linkedAt = 0) {
  const stored: string[] = [];
  const asked: Readonly<Record<string, unknown>>[] = [];
  const ask = async (opcode: number, payload: object) => {
    const question = payload as Readonly<Record<string, unknown>>;
    asked.push({ opcode, ...question });
    const { refuses, refusals = Number.POSITIVE_INFINITY, refused } = server;
    const isRefused = refused === undefined || refused === opcode || refused === String(question["chatId"]);
    if (refuses !== undefined && isRefused && asked.length <= refusals) throw refuses;
    if (opcode === OP.chatList) return { chats: server.others ?? [] };
    const messages = pageOf(server, question);
    return { messages: server.isUnsteady ? messages.map((each) => unsteady(each, asked.length)) : messages };
  };
  const receiver = {
    takeHistory: async (_: string, messages: readonly unknown[]) => {
      stored.push(...messages.map((each) => (each as Message).id));
    },
    emit: async () => undefined,
  };
  const warnings: string[] = [];
  const log = (_: "warn", message: string) => void warnings.push(message);
  const people = new People(ME, async () => ({}));
  const pauses: number[] = [];
  const pause = async (failures: number): Promise<void> => {
    if (pauses.push(failures) > 1_000) throw new Error("the requests do not end");
  };
  const { maySkip = true } = server;
  const parts = { ask, people, receiver, since: SINCE, linkedAt, maySkip, pause, log };
  const failure: unknown = await catchUp(parts, chats).catch((error: unknown) => error);
  if (failure !== undefined && maySkip) throw failure;
  return { stored, asked, warnings, pauses, failure };
}

function pageOf(
  { messages, page = 100, isInclusive = false, pagesOnlyBack = false }: Server,
  question: Readonly<Record<string, unknown>>,
): readonly Message[] {
  const [from, forward, backward] = ["from", "forward", "backward"].map((name) => Number(question[name]));
  const isAhead = ({ time }: Message): boolean => (isInclusive ? time >= (from ?? 0) : time > (from ?? 0));
  const behind = messages.filter((each) => !isAhead(each));
  const ahead = pagesOnlyBack ? [] : messages.filter(isAhead);
  const back = Math.min(backward ?? 0, page);
  return [...(back === 0 ? [] : behind.slice(-back)), ...ahead.slice(0, Math.min(forward ?? 0, page))];
}

function unsteady(message: Message, salt: number): object {
  return typeof message.id === "string" ? message : { ...message, salt };
}

function chatOf({ messages }: Pick<Server, "messages">): MaxChat {
  const lastMessage = messages.at(-1);
  return { id: "163", type: "DIALOG", ...(lastMessage && { lastMessage, lastEventTime: lastMessage.time }) };
}

const ids = (messages: readonly Message[]): readonly string[] => messages.map(({ id }) => id);

describe("stores what was missed in order, each message once", () => {
  test.each<[string, Omit<Server, "messages">, number]>([
    ["of one page", {}, 30],
    ["of exactly a page", {}, 100],
    ["of many pages", {}, 1_234],
    ["of a server with short pages", { page: 7 }, 100],
    ["of a server with inclusive pages", { isInclusive: true }, 250],
    ["of a server that pages only backwards", { pagesOnlyBack: true }, 250],
    ["of one with short pages that pages only backwards", { pagesOnlyBack: true, page: 30 }, 250],
    ["of nothing", {}, 0],
  ])("%s", async (_, kind, count) => {
    const messages = written(count);
    const { stored, warnings } = await run({ messages, ...kind });
    expect(stored).toEqual(ids(messages));
    expect(warnings).toEqual([]);
  });

  test("also with several messages at one time, at the end of a page", async () => {
    const messages = written(320).map(({ id, time }, index) => ({ id, time: time - (index % 4) * 10 }));
    for (const isInclusive of [false, true])
      expect((await run({ messages, isInclusive })).stored).toEqual(ids(messages));
  });

  test.each<[string, Omit<Server, "messages">]>([
    ["a server that pages both ways", {}],
    ["a server that pages only backwards", { pagesOnlyBack: true }],
    ["one that pages both ways, if they differ each time", { isUnsteady: true }],
    ["one that pages only backwards, if they differ each time", { isUnsteady: true, pagesOnlyBack: true }],
  ])("with unreadable ones at both ends, in a few requests to %s", async (_, kind) => {
    const time = SINCE + 5_000;
    const strange = (at: number) => ({ id: { strange: at } as unknown as string, time: at });
    const messages = [strange(SINCE), ...written(150), strange(time)];
    const chat = { id: "163", type: "DIALOG", lastMessage: { time }, lastEventTime: time };
    const { stored, asked } = await run({ messages, ...kind }, [chat]);
    expect(new Set(stored)).toEqual(new Set(ids(messages)));
    expect(asked.length).toBeLessThan(10);
  });

  test("including messages shortly before the marker, which may have arrived out of order", async () => {
    const messages = written(200, { from: SINCE - OVERLAP_MS + 500, every: 1_000 });
    const { stored } = await run({ messages });
    expect(stored).toEqual(ids(messages));
  });
});

describe("older messages", () => {
  /** Number 100 was written at the time from which messages are emitted. */
  const messages = written(200, { from: SINCE - OVERLAP_MS - 100_000, every: 1_000 });

  test("are not emitted again", async () => {
    expect((await run({ messages })).stored).toEqual(ids(messages.slice(101)));
  });

  test("are emitted if they were changed and are among the last thirty", async () => {
    const status = new Map([
      [70, "EDITED"],
      [71, "EDITED"],
      [90, "REMOVED"],
    ]);
    const changed = messages.map((each, index) => ({ ...each, status: status.get(index) ?? "" }));
    const { stored } = await run({ messages: changed });
    expect(stored).toEqual(
      ids([71, 90].flatMap((at) => changed.slice(at, at + 1)).concat(changed.slice(101))),
    );
  });

  test.each([
    ["both ways", false],
    ["only backwards", true],
  ])("from before the link are not emitted, of a server that pages %s", async (_, pagesOnlyBack) => {
    const server = { messages: written(50), pagesOnlyBack };
    const linkedAt = SINCE + 201;
    const { stored } = await run(server, [chatOf(server)], linkedAt);
    expect(stored).toEqual(ids(server.messages.slice(21)));
  });
});

describe("chats", () => {
  const old = SINCE - OVERLAP_MS;
  test.each<[string, MaxChat, number]>([
    ["without changes are skipped", { id: "163", lastEventTime: old }, 0],
    ["without a time are checked", { id: "163" }, 1],
    ["with changes are checked", { id: "163", lastEventTime: old, modified: SINCE }, 1],
    ["that are channels are skipped", { id: "163", type: "CHANNEL", lastEventTime: SINCE }, 0],
    ["without an id are skipped", { lastEventTime: SINCE }, 0],
  ])("%s", async (_, chat, questions) => {
    expect((await run({ messages: [] }, [chat])).asked).toHaveLength(questions);
  });

  const at = (id: number, lastEventTime?: number): MaxChat => ({
    id: String(id),
    type: "DIALOG",
    ...(lastEventTime !== undefined && { lastEventTime }),
  });
  const told = Array.from({ length: 39 }, (_, index) => at(index + 1, SINCE + 1_000 - index));

  test.each([
    ["", at(40, SINCE + 961), SINCE + 961],
    [", although one of those has no time", at(40), SINCE + 962],
    [", although the time of one of those is 0", at(40, 0), SINCE + 962],
  ])("beyond those of the login are listed%s", async (_, last, marker) => {
    const others = [at(41, SINCE + 500), at(42, SINCE - OVERLAP_MS - 1)];
    const { asked } = await run({ messages: [], others }, [...told, last]);
    const lists = asked.filter(({ opcode }) => opcode === OP.chatList);
    const histories = asked.filter(({ opcode }) => opcode === OP.history);
    expect(lists[0]).toMatchObject({ marker });
    expect(histories.map(({ chatId }) => Number(chatId))).toEqual(
      Array.from({ length: 41 }, (__, index) => index + 1),
    );
  });

  test("of the login are fetched, although the list of others is refused", async () => {
    const refuses = new Refusal("proto.opcode", "");
    const server = { messages: [], refuses, refused: OP.chatList };
    const { asked, warnings } = await run(server, [...told, at(40, SINCE)]);
    expect(asked.filter(({ opcode }) => opcode === OP.history)).toHaveLength(40);
    expect(warnings).toHaveLength(1);
  });
});

const unanswered = new NoResponse("MAX did not respond in time", { sent: true, isConnected: true });

test.each([
  ["refuses", new Refusal("chat.denied", ""), 1],
  ["always fails to return", new Refusal("internal.error", ""), 10],
  ["throttles for hours", new Refusal("too.many.requests", ""), 100],
  ["does not return in time or readably", unanswered, 3],
])("a chat that MAX %s does not block the others", async (_, refuses, tries) => {
  const server = { messages: written(3), refuses, refused: "163" };
  const chats = [chatOf(server), { ...chatOf(server), id: "164" }];
  const { stored, asked, warnings } = await run(server, chats);
  expect(asked.filter(({ chatId }) => chatId === 163n)).toHaveLength(tries);
  expect(stored).toEqual(ids(server.messages));
  expect(warnings.at(-1)).toBe("MAX: messages of a chat are skipped");
});

test.each([
  ["always fails to return", new Refusal("internal.error", ""), true],
  ["throttles for hours", new Refusal("too.many.requests", ""), true],
  ["does not return in time or readably", unanswered, true],
  ["refuses for good", new Refusal("chat.denied", ""), false],
])(
  "while it may be an outage, a chat that MAX %s is not skipped: the catch-up fails after the others",
  async (_, refuses, fails) => {
    const server = { messages: written(3), refuses, refused: "163", maySkip: false };
    const chats = [chatOf(server), { ...chatOf(server), id: "164" }];
    const { stored, failure } = await run(server, chats);
    expect(stored).toEqual(ids(server.messages));
    expect(failure).toBe(fails ? refuses : undefined);
  },
);

test("in an outage the catch-up fails after the second chat", async () => {
  const server = { messages: written(3), refuses: unanswered, maySkip: false };
  const chats = ["163", "164", "165"].map((id) => ({ ...chatOf(server), id }));
  const { asked, failure } = await run(server, chats);
  expect(asked).toHaveLength(6);
  expect(failure).toBe(unanswered);
});

test("each kind of failure has its own number of tries", async () => {
  const messages = written(3);
  const flood = new Refusal("too.many.requests", "");
  const fault = new Refusal("internal.error", "");
  const failures = [...Array.from({ length: 20 }, () => flood), fault, unanswered];
  const ask = patiently({
    ask: async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { messages };
    },
    pause: async () => undefined,
    log: () => undefined,
  });
  expect(await ask(OP.history, {})).toEqual({ messages });
});

test.each(["too.many.requests", "error.limit.violate", "internal.error", "service.unavailable"])(
  "a request that MAX refuses temporarily, with %s, is repeated",
  async (key) => {
    const messages = written(250);
    const { stored, pauses, warnings } = await run({ messages, refuses: new Refusal(key, ""), refusals: 3 });
    expect(stored).toEqual(ids(messages));
    expect(pauses).toEqual([1, 2, 3]);
    expect(warnings).toHaveLength(1);
  },
);

test.each([
  ["after a lost connection", new NoResponse("lost", { sent: true })],
  ["without a connection", new NoResponse("lost", { sent: false })],
  ["when the token is no longer valid", new Refusal("login.token", "FAIL_LOGIN_TOKEN")],
])("a catch-up is not complete %s", async (_, refuses) => {
  await expect(run({ messages: written(3), refuses })).rejects.toBe(refuses);
});
