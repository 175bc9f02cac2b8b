import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../../core/transport/events.ts";
import { Places } from "./inbound/places.ts";
import { Receiver } from "./inbound/receiver.ts";
import { VaultStorage } from "./library/vault-storage.ts";
import { Sends } from "./outbound/sends.ts";
import { PeerBook } from "./people/peer-book.ts";
import { ANN, GROUP, linkTo, SELF, sample, textMessage } from "./testing.ts";

type Link = ReturnType<typeof linkTo>;

interface Raw {
  readonly _: string;
  readonly message?: Record<string, unknown>;
}

/** An update and the people it names, as decoded by the library. */
function raw(name: string, more: Record<string, unknown> = {}): { update: Raw; known: readonly unknown[] } {
  const { update, known } = sample(name) as { update: Raw; known: unknown[] };
  const message = update.message && { ...update.message, ...more };
  return { update: { ...update, ...(message && { message }) }, known };
}

async function start(link: Link) {
  const [book, places, sends] = [
    new PeerBook(link.vault),
    new Places(link.vault),
    await Sends.load(link.vault),
  ];
  const pause = (): Promise<void> => sleep(1);
  const receiver = new Receiver({ link, book, places, sends, selfId: SELF, signal: link.signal, pause });
  const take = async (name: string, more: Record<string, unknown> = {}): Promise<void> => {
    const { update, known } = raw(name, more);
    await book.learn(known);
    receiver.take(update);
  };
  return { receiver, sends, take };
}

const link = (): Link => linkTo("tcp://127.0.0.1:9/?dc=2");
const told = ({ events }: Link): (string | undefined)[] =>
  events.map((event) =>
    event.kind === "message" && event.message.body.type === "text" ? event.message.body.text : event.kind,
  );

describe("inbound updates", () => {
  test("settle only once stored, in order, also after the store was unavailable", async () => {
    const at = link();
    const { receiver, take } = await start(at);
    let refusals = 3;
    at.onEmit(async () => {
      if (refusals-- > 0) throw new Error("the store is unavailable");
    });
    for (let id = 1; id <= 250; id++) await take("text", { id, message: `m${id}` });
    await receiver.settled();
    const texts = told(at);
    const first = [...new Set(texts)];
    expect(first).toEqual(Array.from({ length: 250 }, (_, index) => `m${index + 1}`));
    expect(texts.slice(-50)).toEqual(first.slice(-50));
    expect(at.logs.some(({ message }) => message.includes("cannot be stored yet"))).toBe(true);
  });

  test("do not settle if the session ends first", async () => {
    const at = link();
    const { receiver, take } = await start(at);
    at.onEmit(() => Promise.reject(new Error("the store is unavailable")));
    await take("text");
    at.abort();
    await expect(receiver.settled()).rejects.toThrow();
    expect(at.events).toEqual([]);
  });

  test("the deletion of a message of a supergroup deletes each message that it became, also after a restart", async () => {
    const at = link();
    const before = await start(at);
    const place = { peerId: { _: "peerChannel", channelId: 1987654321 }, id: 55 };
    await before.take("kind-paid-media", place);
    await before.receiver.settled();
    const after = await start(at);
    await after.take("supergroup-deletion");
    await after.receiver.settled();
    const ids = at.events.flatMap((event) => (event.kind === "deleted" ? [event.ref.externalId] : []));
    expect(ids).toEqual(["55", "55#2"]);
  });

  test("an unreadable update becomes a dead letter, and later ones continue", async () => {
    const at = link();
    const { receiver, take } = await start(at);
    await take("text", { peerId: undefined });
    await take("reply");
    await receiver.settled();
    expect(at.deadLetters).toMatchObject([{ reason: "chat is missing" }]);
    expect(told(at)).toEqual(["Yes"]);
    await receiver.reprocess(sample("text"));
    expect(told(at)).toEqual(["Yes", "Good morning 👋"]);
  });

  test("a deletion is emitted for its chat, also after a restart", async () => {
    const at = link();
    const before = await start(at);
    await before.take("text");
    await before.take("group-text", { id: 102 });
    await before.receiver.settled();
    const { receiver, take } = await start(at);
    await take("deletion");
    await receiver.settled();
    expect(at.events.slice(2)).toMatchObject([
      { kind: "deleted", ref: { chatId: ANN, externalId: "101" } },
      { kind: "deleted", ref: { chatType: "telegroup", chatId: GROUP, externalId: "102" } },
    ]);
  });
});

describe("sent messages", () => {
  const shown = { id: 200, message: "hello", date: Math.floor(Date.now() / 1_000) };

  test("are not echoes when Telegram reports them, also after a crash", async () => {
    const at = link();
    const before = await start(at);
    const message = textMessage();
    await before.sends.begin(message, { chatId: ANN });
    const { receiver, sends, take } = await start(at);
    await take("echo", shown);
    await take("echo", shown);
    await take("echo", { ...shown, id: 201 });
    await receiver.settled();
    expect(at.events).toMatchObject([
      { kind: "receipt", status: "sent", ref: { messageId: message.id, externalId: "200" } },
      { kind: "message", message: { direction: "echo", externalId: "201" } },
    ]);
    expect(sends.find(message.id)).toMatchObject({ chatId: ANN, externalId: "200" });
  });

  test("are forgotten after a refusal, and after a day", async () => {
    const at = link();
    const { sends } = await start(at);
    await sends.begin(textMessage({ id: "refused" }), { chatId: ANN });
    await sends.forget("refused");
    await sends.begin(textMessage({ id: "old" }), { chatId: ANN, at: Date.now() - 26 * 3_600_000 });
    await sends.begin(textMessage({ id: "new" }), { chatId: ANN });
    const later = await Sends.load(at.vault);
    expect(["refused", "old", "new"].map((id) => later.find(id) !== undefined)).toEqual([false, false, true]);
  });
});

describe("known peers", () => {
  const user = { _: "user", id: 777, accessHash: "11", firstName: "Ann", username: "ann", phone: "7999" };

  test("a person and a group with the same number are different", async () => {
    const at = link();
    await new PeerBook(at.vault).learn([user, { _: "chat", id: 777, title: "Team" }]);
    const book = new PeerBook(at.vault);
    expect(await book.inputPeer("777")).toMatchObject({ _: "inputPeerUser", userId: 777 });
    expect(await book.inputPeer("-777")).toEqual({ _: "inputPeerChat", chatId: 777 });
  });

  test("partial data does not replace full data, and a message replaces a missing hash", async () => {
    const at = link();
    const book = new PeerBook(at.vault);
    const group = { _: "channel", id: 5, accessHash: "7", title: "Team" };
    await book.learn([
      user,
      { ...user, min: true, accessHash: "99" },
      { _: "user", id: 8, min: true },
      group,
    ]);
    await book.learnPlace("8", "-1000000000005", 40);
    await book.learnPlace("777", "-1000000000005", 41);
    const again = new PeerBook(at.vault);
    expect(String(((await again.inputPeer("777")) as { accessHash: unknown }).accessHash)).toBe("11");
    expect(await again.inputPeer("8")).toMatchObject({
      _: "inputPeerUserFromMessage",
      msgId: 40,
      userId: 8,
      peer: { _: "inputPeerChannel", channelId: 5 },
    });
    expect(await again.inputPeer("9")).toBeNull();
  });

  test("names resolve as before", async () => {
    const book = new PeerBook(link().vault);
    await book.learn([user]);
    await book.learnName("@Nobody", null);
    const found = await Promise.all(["@Ann", "+7999", "@nobody", "@else"].map((name) => book.found(name)));
    expect(found.map((each) => each?.chatId)).toEqual(["777", "777", null, undefined]);
  });
});

describe("the session", () => {
  const key = (fill: number): Uint8Array => new Uint8Array(256).fill(fill);
  const load = (
    at: Link,
    isLinked: boolean,
    more: { received?: () => Promise<void>; refused?: () => void } = {},
  ) =>
    VaultStorage.load({
      vault: at.vault,
      isLinked,
      firstDc: 2,
      received: more.received ?? (async () => undefined),
      keyRefused: more.refused ?? (() => undefined),
    });

  test("stores nothing before the account is linked, and everything at once then", async () => {
    const at = link();
    const storage = await load(at, false);
    await storage.authKeys.set(2, key(1));
    await storage.kv.set("salts:2", Uint8Array.of(1));
    expect((await at.vault.readAll("auth-key")).size).toBe(0);
    await at.vault.write(storage.entries(2));
    const linked = await load(at, true);
    expect(await linked.authKeys.get(2)).toEqual(key(1));
    expect(await linked.kv.get("salts:2")).toEqual(Uint8Array.of(1));
  });

  test("keeps its key, whatever a server responds", async () => {
    const at = link();
    const fresh = await load(at, false);
    await fresh.authKeys.set(2, key(1));
    await at.vault.write(fresh.entries(2));
    let refused = 0;
    const storage = await load(at, true, { refused: () => void refused++ });
    await storage.authKeys.set(2, null);
    await storage.authKeys.set(2, key(2));
    // The key of another data centre can be replaced without harm.
    await storage.authKeys.set(4, key(3));
    await storage.authKeys.set(4, key(4));
    const again = await load(at, true);
    expect([refused, await again.authKeys.get(2), await again.authKeys.get(4)]).toEqual([2, key(1), key(4)]);
  });

  test("advances its position only once all earlier updates are stored", async () => {
    const at = link();
    const stored = Promise.withResolvers<void>();
    const storage = await load(at, true, { received: () => stored.promise });
    const moving = Promise.resolve(storage.kv.set("updates_pts", Uint8Array.of(9))).then(() =>
      storage.driver.save(),
    );
    await storage.kv.set("salts:2", Uint8Array.of(1));
    await storage.driver.save();
    expect([...(await at.vault.readAll("value")).keys()]).toEqual(["salts:2"]);
    stored.resolve();
    await moving;
    expect([...(await at.vault.readAll("value")).keys()].toSorted()).toEqual(["salts:2", "updates_pts"]);
  });
});

test("the last inbound message is marked as read once", async () => {
  const at = link();
  const { receiver, take } = await start(at);
  await take("text");
  await take("echo");
  await receiver.settled();
  expect([receiver.takeUnread(ANN), receiver.takeUnread(ANN)]).toEqual([101, undefined]);
  expect((at.events[0] as { message: InboundMessage }).message.externalId).toBe("101");
});
