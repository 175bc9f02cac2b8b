import type { BinaryNode, WAMessage } from "baileys";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestLink } from "../../../core/transport/conformance.ts";
import { People } from "../people/people.ts";
import { Journal } from "./journal.ts";
import { decodeReceived, encodeReceived } from "./received.ts";
import { Receiver, type ReceiverParts } from "./receiver.ts";
import { RecentMessages } from "./recent.ts";

let link = createTestLink({ credentials: {}, settings: {} });
let receiver: Receiver;

function receiverOf(changes: Partial<ReceiverParts> = {}): Receiver {
  return new Receiver({
    link,
    people: new People({ vault: link.vault, emit: link.emit, numberOf: async () => null }),
    journal: new Journal(link.vault),
    recent: new RecentMessages(link.vault),
    history: { keep: async () => undefined },
    undecryptableMs: 60_000,
    groupName: async () => "Team",
    me: () => ({ id: "79990000001:1@s.whatsapp.net" }),
    ...changes,
  });
}

beforeEach(() => {
  link = createTestLink({ credentials: {}, settings: {} });
  receiver = receiverOf();
});
afterEach(() => receiver.close());

const key = { remoteJid: "79990000002@s.whatsapp.net", fromMe: false };
const unreadable: WAMessage = { key, messageTimestamp: 1_700_000_000, message: { conversation: "hi" } };

test("unreadable messages become dead letters, in order with readable ones", async () => {
  receiver.take([unreadable, { ...unreadable, key: { ...key, id: "3A1" } }]);
  await receiver.settle();
  expect(link.deadLetters).toMatchObject([{ reason: "Error: the message has no id" }]);
  expect(link.events).toMatchObject([{ kind: "message", message: { externalId: "3A1" } }]);
});

test("when the channel closes during a message, later ones do not overtake it", async () => {
  const closing = new AbortController();
  const given: string[] = [];
  const closed = receiverOf({
    link: { ...link, signal: closing.signal },
    history: {
      async keep({ key: { id } }) {
        given.push(id ?? "");
        if (id !== "3A2") return;
        closing.abort();
        throw new Error("the store is unavailable");
      },
    },
  });
  closed.take(["3A1", "3A2", "3A3"].map((id) => ({ ...unreadable, key: { ...key, id } })));
  await closed.settle();
  expect(given).toEqual(["3A1", "3A2"]);
  expect(link.events).toMatchObject([{ message: { externalId: "3A1" } }]);
  closed.close();
});

test("a dead letter is parsed again, and kept again if that fails", async () => {
  receiver.take([unreadable]);
  await receiver.settle();
  const [letter] = link.deadLetters.splice(0);
  await receiver.reprocess(letter?.payload);
  expect(link.deadLetters.map(({ payload }) => payload)).toEqual([letter?.payload]);
  const named = { kind: "message", message: { ...unreadable, key: { ...key, id: "3A2" } } } as const;
  await receiver.reprocess(encodeReceived(named));
  await link.waitFor((event) => event.kind === "message" && event.message.externalId === "3A2");
  await expect(receiver.reprocess({ kind: "wink" })).rejects.toThrow("not a dead letter of this transport");
});

test("an unreadable stanza becomes a dead letter, and is deleted from the vault", async () => {
  const attrs = { from: "1@g.us", type: "w:gp2", id: "9", t: "1700000000", participant: 7 as never };
  const node: BinaryNode = { tag: "notification", attrs, content: [null as never] };
  await receiver.keep(node);
  receiver.takeKept(node);
  await receiver.settle();
  expect(link.deadLetters).toMatchObject([{ payload: { kind: "stanza" } }]);
  expect(await link.vault.readAll("notice")).toEqual(new Map());
});

test("byte arrays are preserved", () => {
  const message = { ...unreadable, message: { imageMessage: { mediaKey: Uint8Array.of(1, 2, 3) } } };
  const kept = JSON.parse(JSON.stringify(encodeReceived({ kind: "message", message }))) as unknown;
  expect(decodeReceived(kept)).toMatchObject({
    message: { message: { imageMessage: { mediaKey: Buffer.from([1, 2, 3]) } } },
  });
});
