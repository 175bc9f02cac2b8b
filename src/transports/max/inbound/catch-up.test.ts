import { describe, expect, test } from "vitest";
import { NoResponse, Refusal } from "../errors.ts";
import { People } from "../people/people.ts";
import type { MaxChat } from "../people/profile.ts";
import { ME } from "../testing.ts";
import { OP } from "../wire/opcodes.ts";
import { catchUp } from "./catch-up.ts";
import { OVERLAP_MS } from "./marker.ts";

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
  readonly others?: readonly MaxChat[];
}

/** Runs a catch-up against a server of this kind; returns what was stored and requested. */
async function run(server: Server, chats: readonly MaxChat[] = [chatOf(server)], linkedAt = 0) {
  const stored: string[] = [];
  const asked: Readonly<Record<string, unknown>>[] = [];
  const ask = async (opcode: number, payload: object) => {
    const question = payload as Readonly<Record<string, unknown>>;
    asked.push({ opcode, ...question });
    const { refuses, refusals = Number.POSITIVE_INFINITY } = server;
    if (refuses !== undefined && asked.length <= refusals) throw refuses;
    return opcode === OP.chatList ? { chats: server.others ?? [] } : { messages: pageOf(server, question) };
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
  const pause = async (failures: number): Promise<void> => void pauses.push(failures);
  await catchUp({ ask, people, receiver, since: SINCE, linkedAt, pause, log }, chats);
  return { stored, asked, warnings, pauses };
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

  test.each([
    ["both ways", false],
    ["only backwards", true],
  ])(
    "with an unreadable one at the end, in a few requests to a server that pages %s",
    async (_, pagesOnlyBack) => {
      const time = SINCE + 5_000;
      const messages = [...written(150), { id: { strange: 7n } as unknown as string, time }];
      const chat = { id: "163", type: "DIALOG", lastMessage: { time }, lastEventTime: time };
      const { stored, asked } = await run({ messages, pagesOnlyBack }, [chat]);
      expect(new Set(stored)).toEqual(new Set(ids(messages)));
      expect(asked.length).toBeLessThan(10);
    },
  );

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

  test("beyond those of the login are listed", async () => {
    const at = (id: number, time: number): MaxChat => ({
      id: String(id),
      type: "DIALOG",
      lastEventTime: time,
    });
    const told = Array.from({ length: 40 }, (_, index) => at(index + 1, SINCE + 1_000 - index));
    const others = [at(41, SINCE + 500), at(42, SINCE - OVERLAP_MS - 1)];
    const { asked } = await run({ messages: [], others }, told);
    const lists = asked.filter(({ opcode }) => opcode === OP.chatList);
    const histories = asked.filter(({ opcode }) => opcode === OP.history);
    expect(lists[0]).toMatchObject({ marker: SINCE + 961 });
    expect(histories.map(({ chatId }) => Number(chatId))).toEqual(
      [...told.keys()].map((index) => index + 1).concat(41),
    );
  });
});

test("a chat that MAX refuses does not block the others", async () => {
  const { warnings } = await run({ messages: written(3), refuses: new Refusal("chat.denied", "") });
  expect(warnings).toHaveLength(1);
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

test("a catch-up is not complete after a lost connection", async () => {
  const refuses = new NoResponse("lost", { sent: true });
  await expect(run({ messages: written(3), refuses })).rejects.toBe(refuses);
});
