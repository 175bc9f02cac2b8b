import type { SignalKeyStoreWithTransaction, SignalRepositoryWithLIDStore, WAMessage } from "baileys";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestLink } from "../../core/transport/conformance.ts";
import { retryingVault } from "../kit/retrying-vault.ts";
import { parseFileToken } from "./file-token.ts";
import { CallWatch } from "./inbound/calls.ts";
import { Journal } from "./inbound/journal.ts";
import { KeptNotices } from "./inbound/kept-notices.ts";
import { RecentMessages } from "./inbound/recent.ts";
import { createKeyStore } from "./keys/key-store.ts";
import { proto } from "./library.ts";
import { isLinked, loadAccount } from "./people/account.ts";
import { DeviceLists } from "./people/device-lists.ts";
import { People } from "./people/people.ts";

const linkOf = () => createTestLink({ credentials: {}, settings: {} });
let link = linkOf();
beforeEach(() => {
  link = linkOf();
});

describe("keys", () => {
  const pair = { public: Uint8Array.of(1, 2), private: Uint8Array.of(3) };

  test("are restored unchanged, also in another process", async () => {
    await createKeyStore(link.vault).set({
      "pre-key": { "1": pair },
      session: { "79990000001.0": Uint8Array.of(9) },
      "sender-key-memory": { "1@g.us": { "2@lid": true } },
      "app-state-sync-key": {
        AAA: proto.Message.AppStateSyncKeyData.fromObject({ keyData: Uint8Array.of(7) }),
      },
    });
    const store = createKeyStore(link.vault);
    expect((await store.get("pre-key", ["1", "2"]))["1"]?.private).toEqual(Buffer.from([3]));
    expect(Object.keys(await store.get("pre-key", ["1", "2"]))).toEqual(["1"]);
    expect((await store.get("session", ["79990000001.0"]))["79990000001.0"]).toEqual(Buffer.from([9]));
    expect(await store.get("sender-key-memory", ["1@g.us"])).toEqual({ "1@g.us": { "2@lid": true } });
    const { AAA } = await store.get("app-state-sync-key", ["AAA"]);
    expect(AAA).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
  });

  test("that were deleted stay deleted", async () => {
    const store = createKeyStore(link.vault);
    await store.set({ session: { a: Uint8Array.of(1) } });
    await store.set({ session: { a: null } });
    expect(await store.get("session", ["a"])).toEqual({});
    expect(await createKeyStore(link.vault).get("session", ["a"])).toEqual({});
  });

  test("that were deleted while they were read stay deleted", async () => {
    await link.vault.write([{ family: "session", id: "a", value: Buffer.from("1") }]);
    const { read } = link.vault;
    const store = createKeyStore({
      ...link.vault,
      async read(family, ids) {
        const found = await read(family, ids);
        await store.set({ session: { a: null } });
        return found;
      },
    });
    expect(await store.get("session", ["a"])).toEqual({});
    expect(await store.get("session", ["a"])).toEqual({});
  });

  test("beyond the cache are all available", async () => {
    const store = createKeyStore(link.vault);
    const ids = Array.from({ length: 500 }, (_, id) => String(id));
    await store.set({ session: Object.fromEntries(ids.map((id) => [id, Uint8Array.of(Number(id) % 256)])) });
    expect(Object.keys(await store.get("session", ids))).toHaveLength(500);
  });

  test("whose write failed do not count as written", async () => {
    const broken = { ...link.vault, write: () => Promise.reject(new Error("not ours")) };
    const store = createKeyStore(broken);
    await expect(store.set({ session: { a: Uint8Array.of(1) } })).rejects.toThrow("not ours");
    expect(await store.get("session", ["a"])).toEqual({});
  });
});

describe("a retrying vault", () => {
  const entry = (value: number) => ({ family: "session", id: "a", value: Uint8Array.of(value) });

  test("retries until it succeeds, and keeps the order of writes", async () => {
    const { clear, read, write } = link.vault;
    let failures = 3;
    const fail = async <T>(ask: () => Promise<T>): Promise<T> => {
      if (failures-- > 0) throw new Error("the database is away");
      return ask();
    };
    const away: typeof link.vault = {
      ...link.vault,
      read: (family, ids) => fail(() => read(family, ids)),
      write: (entries) => fail(() => write(entries)),
      clear: () => fail(clear),
    };
    const patient = retryingVault({ vault: away, log: link.log }, "WhatsApp", link.signal, 1);
    await Promise.all([patient.write([entry(1)]), patient.write([entry(2)])]);
    failures = 3;
    expect(await patient.read("session", ["a"])).toEqual(new Map([["a", Uint8Array.of(2)]]));
    failures = 3;
    await Promise.all([patient.write([entry(3)]), patient.clear()]);
    expect(await patient.read("session", ["a"])).toEqual(new Map());
    expect(link.logs).toHaveLength(3);
  });

  test("ends with the channel", async () => {
    const away = { ...link.vault, read: () => Promise.reject(new Error("the database is away")) };
    const end = new AbortController();
    const reading = retryingVault({ vault: away, log: link.log }, "WhatsApp", end.signal).read("session", [
      "a",
    ]);
    end.abort();
    await expect(reading).rejects.toThrow();
  });
});

describe("account", () => {
  test("is stored once linked, and not before", async () => {
    const first = await loadAccount(link.vault);
    expect(isLinked(first.creds)).toBe(false);
    await first.save();
    const second = await loadAccount(link.vault);
    expect(second.creds.advSecretKey).not.toBe(first.creds.advSecretKey);
    second.creds.account = { details: Uint8Array.of(1) };
    await Promise.all([second.save(), second.save(), second.save()]);
    second.creds.nextPreKeyId = 77;
    await second.save();
    const third = await loadAccount(link.vault);
    expect([isLinked(third.creds), third.creds.nextPreKeyId]).toEqual([true, 77]);
  });
});

describe("journal", () => {
  const ME = { id: "79990000001:1@s.whatsapp.net", lid: "9:1@lid" };
  const plain = (text: string): Uint8Array =>
    Buffer.concat([proto.Message.encode({ conversation: text }).finish(), Buffer.from([1])]);
  const BOB = "79990000002@s.whatsapp.net";
  const keyOf = (id: string, remoteJid = BOB) => ({ id, remoteJid, participant: "", fromMe: false });
  const stanza = (id: string, ciphertext: Uint8Array, from = BOB) => ({
    tag: "message",
    attrs: { id, from, t: "1700000000", type: "text", notify: "Bob" },
    content: [{ tag: "enc", attrs: { v: "2", type: "msg" }, content: ciphertext }],
  });

  /** A repository that can decrypt each text once, like the real one. */
  function guarded(journal: Journal) {
    const seen = new Set<Uint8Array>();
    const decryptMessage = vi.fn(async ({ ciphertext }: { ciphertext: Uint8Array }) => {
      if (seen.has(ciphertext)) throw new Error("Key used already or never filled");
      seen.add(ciphertext);
      return plain(Buffer.from(ciphertext).toString());
    });
    const store = createKeyStore(link.vault);
    const keys = { ...store, transaction: <T>(work: () => Promise<T>) => work() };
    const repository = { decryptMessage } as unknown as SignalRepositoryWithLIDStore;
    return journal.guard(repository, keys as unknown as SignalKeyStoreWithTransaction);
  }
  const open = (repository: SignalRepositoryWithLIDStore, ciphertext: Uint8Array) =>
    repository.decryptMessage({ jid: "79990000002@s.whatsapp.net", type: "msg", ciphertext });

  test("returns messages decrypted by an earlier process", async () => {
    const journal = new Journal(link.vault);
    const ciphertext = Buffer.from("hello");
    journal.see(stanza("M1", ciphertext));
    await open(guarded(journal), ciphertext);
    const later = new Journal(link.vault);
    const [recovered, ...others] = await later.recover(ME);
    expect(others).toEqual([]);
    expect(recovered?.message?.conversation).toBe("hello");
    expect(recovered?.key).toMatchObject({
      remoteJid: "79990000002@s.whatsapp.net",
      fromMe: false,
      id: "M1",
    });
    expect(recovered?.pushName).toBe("Bob");
  });

  test("reads a repeated message that cannot be decrypted again", async () => {
    const ciphertext = Buffer.from("hello");
    const journal = new Journal(link.vault);
    const repository = guarded(journal);
    journal.see(stanza("M1", ciphertext));
    await open(repository, ciphertext);
    const repeated = Buffer.from("hello");
    const later = new Journal(link.vault);
    await later.recover(ME);
    later.see(stanza("M1", repeated));
    const never = { decryptMessage: () => Promise.reject(new Error("Key used already")) };
    const keys = { transaction: <T>(work: () => Promise<T>) => work() };
    const again = later.guard(never as never, keys as never);
    expect(Buffer.from(await open(again, repeated))).toEqual(plain("hello"));
  });

  test("reads a message that is repeated after it was stored, because its acknowledgement was lost", async () => {
    const journal = new Journal(link.vault);
    await journal.recover(ME);
    const repository = guarded(journal);
    const [first, repeated] = [Buffer.from("hello"), Buffer.from("hello")];
    journal.see(stanza("M1", first));
    await open(repository, first);
    journal.release(keyOf("M1"));
    journal.see(stanza("M1", repeated));
    const never = { decryptMessage: () => Promise.reject(new Error("Key used already")) };
    const keys = { transaction: <T>(work: () => Promise<T>) => work() };
    const again = journal.guard(never as never, keys as never);
    expect(Buffer.from(await open(again, repeated))).toEqual(plain("hello"));
    expect(await journal.recover(ME)).toEqual([]);
  });

  // Field 999 of the invalid wire type 7; a reaction without a target. Each with its padding.
  test.each([
    ["is not a message", [0xbf, 0x3e, 1], { messageStubType: 2 }],
    ["the library cannot read", [0xf2, 2, 0, 1], { message: { reactionMessage: {} } }],
  ])("encrypted content that %s does not block others", async (_, bytes, expected) => {
    const journal = new Journal(link.vault);
    const store = createKeyStore(link.vault);
    const keys = { ...store, transaction: <T>(work: () => Promise<T>) => work() };
    const hostile = { decryptMessage: async () => Uint8Array.from(bytes) };
    const [first, second] = [Buffer.from("?"), Buffer.from("hello")];
    journal.see(stanza("M1", first));
    await open(journal.guard(hostile as never, keys as never), first);
    journal.see(stanza("M2", second));
    await open(guarded(journal), second);
    expect(await new Journal(link.vault).recover(ME)).toMatchObject([
      { key: { id: "M1", remoteJid: BOB }, ...expected },
      { key: { id: "M2" }, message: { conversation: "hello" } },
    ]);
  });

  test("forgets what is stored", async () => {
    const journal = new Journal(link.vault);
    const ciphertext = Buffer.from("hello");
    journal.see(stanza("M1", ciphertext));
    await open(guarded(journal), ciphertext);
    const removal = journal.release(keyOf("M1"));
    expect(removal).toMatchObject({ family: "inbox", value: null });
    if (removal !== null) await link.vault.write([removal]);
    expect(journal.release(keyOf("M1"))).toBeNull();
    expect(await new Journal(link.vault).recover(ME)).toEqual([]);
  });

  test("a text with the same id, encrypted again, is another message", async () => {
    const journal = new Journal(link.vault);
    const repository = guarded(journal);
    const [first, second] = [Buffer.from("one"), Buffer.from("two")];
    journal.see(stanza("M1", first));
    await open(repository, first);
    journal.see(stanza("M1", second));
    expect(Buffer.from(await open(repository, second))).toEqual(plain("two"));
  });

  test("messages between the account's own devices wait to be repeated, for a limited time", async () => {
    const journal = new Journal(link.vault);
    const ciphertext = Buffer.from("history");
    const { attrs, ...rest } = stanza("M1", ciphertext);
    journal.see({ ...rest, attrs: { ...attrs, category: "peer" } as never });
    await open(guarded(journal), ciphertext);
    const day = 86_400_000;
    const soon = new Journal(link.vault);
    expect(await soon.recover(ME, 1_700_000_000_000 + day)).toEqual([]);
    expect((await link.vault.readAll("inbox")).size).toBe(1);
    const late = new Journal(link.vault);
    await late.recover(ME, 1_700_000_000_000 + 15 * day);
    expect((await link.vault.readAll("inbox")).size).toBe(0);
  });

  test("returns messages that an earlier connection dropped", async () => {
    const journal = new Journal(link.vault);
    const ciphertext = Buffer.from("hello");
    journal.see(stanza("M1", ciphertext));
    await open(guarded(journal), ciphertext);
    for (const _ of ["first", "second"]) expect(await journal.recover(ME)).toHaveLength(1);
    journal.release(keyOf("M1"));
    expect(await journal.recover(ME)).toEqual([]);
  });

  test("returns messages in order of arrival, also within one second and over several processes", async () => {
    const { readAll } = link.vault;
    // // The store has no order of its own.
    link.vault.readAll = async (family) => new Map([...(await readAll(family))].toSorted());
    for (const ids of [["M5", "M3", "M4"], ["M2"], ["M9", "M1"]]) {
      const journal = new Journal(link.vault);
      await journal.recover(ME);
      const repository = guarded(journal);
      for (const id of ids) {
        const ciphertext = Buffer.from(id);
        journal.see(stanza(id, ciphertext));
        await open(repository, ciphertext);
      }
    }
    const recovered = await new Journal(link.vault).recover(ME);
    expect(recovered.map(({ key }) => key.id)).toEqual(["M5", "M3", "M4", "M2", "M9", "M1"]);
  });

  test("a message that a phone sends again keeps its place", async () => {
    const journal = new Journal(link.vault);
    const repository = guarded(journal);
    for (const [id, text] of [
      ["M1", "one"],
      ["M2", "two"],
      ["M1", "one, encrypted again"],
    ] as const) {
      const ciphertext = Buffer.from(text);
      journal.see(stanza(id, ciphertext));
      await open(repository, ciphertext);
    }
    const recovered = await new Journal(link.vault).recover(ME);
    expect(recovered.map(({ key }) => key.id)).toEqual(["M1", "M2"]);
  });

  test("two people may use the same id: one message is kept after the other's is stored", async () => {
    const ann = "79990000003:7@s.whatsapp.net";
    const journal = new Journal(link.vault);
    await journal.recover(ME);
    const repository = guarded(journal);
    for (const from of [ann, BOB]) {
      const ciphertext = Buffer.from(from);
      journal.see(stanza("M1", ciphertext, from));
      await open(repository, ciphertext);
    }
    expect(journal.release(keyOf("M1"))).toMatchObject({ id: `M1 ${BOB}` });
    expect(journal.release(keyOf("M1"))).toBeNull();
    expect(await journal.recover(ME)).toMatchObject([{ message: { conversation: ann } }]);
    expect(journal.release(keyOf("M1", "79990000003@s.whatsapp.net"))).toMatchObject({ id: `M1 ${ann}` });
  });
});

test("group notifications are restored in order of arrival, also within one second", async () => {
  const { readAll } = link.vault;
  // A store has no order of its own.
  link.vault.readAll = async (family) => new Map([...(await readAll(family))].toSorted());
  const notice = (id: string) => ({ tag: "notification", attrs: { id, from: "1@g.us", t: "1700000000" } });
  for (const ids of [["N3", "N1"], ["N2"]]) {
    const notices = new KeptNotices(link.vault);
    await notices.recover();
    for (const id of ids) await notices.keep(notice(id));
  }
  const notices = new KeptNotices(link.vault);
  expect(await notices.recover()).toEqual([notice("N3"), notice("N1"), notice("N2")]);
  for (const id of ["N3", "N1", "N2"]) await notices.release(notice(id));
  expect(await notices.recover()).toEqual([]);
});

describe("recent messages", () => {
  const DAY_MS = 86_400_000;
  const message: WAMessage = {
    key: { remoteJid: "79990000002@s.whatsapp.net", fromMe: false, id: "M1" },
    message: { conversation: "hi" },
    messageTimestamp: 1_700_000_000,
  };

  test("are found for a week, then deleted", async () => {
    const recent = new RecentMessages(link.vault);
    const now = 20_000 * DAY_MS;
    await link.vault.write([recent.entry(message, now)]);
    expect((await recent.find("M1", now))?.message?.conversation).toBe("hi");
    expect((await recent.find("M1", now + 6 * DAY_MS))?.key.id).toBe("M1");
    expect(await recent.find("M2", now)).toBeUndefined();
    expect(await recent.find("M1", now + 7 * DAY_MS)).toBeUndefined();
    await recent.tidy(now + 7 * DAY_MS);
    expect(await recent.find("M1", now + 8 * DAY_MS)).toBeUndefined();
    const families = Array.from({ length: 8 }, (_, day) => link.vault.readAll(`recent-${day}`));
    expect((await Promise.all(families)).map(({ size }) => size)).toEqual(new Array(8).fill(0));
  });
});

test("a failed deletion of a day is retried", async () => {
  const now = 20_000 * 86_400_000;
  const recent = new RecentMessages(link.vault);
  await link.vault.write([{ family: "recent-1", id: "old", value: Buffer.from("old") }]);
  const { readAll } = link.vault;
  link.vault.readAll = () => Promise.reject(new Error("the store is unavailable"));
  await expect(recent.tidy(now)).rejects.toThrow("the store is unavailable");
  link.vault.readAll = readAll;
  await recent.tidy(now);
  expect((await link.vault.readAll("recent-1")).size).toBe(0);
});

describe("recent messages with the same id", () => {
  const messageOf = (fromMe: boolean, conversation: string): WAMessage => ({
    key: { remoteJid: "79990000002@s.whatsapp.net", fromMe, id: "M1" },
    message: { conversation },
  });

  test("messages of others are not this account's", async () => {
    const recent = new RecentMessages(link.vault);
    await link.vault.write([recent.entry(messageOf(false, "theirs"))]);
    expect((await recent.find("M1"))?.message?.conversation).toBe("theirs");
    expect(await recent.findOwn("M1")).toBeUndefined();
    await link.vault.write([recent.entry(messageOf(true, "ours"))]);
    await link.vault.write([recent.entry(messageOf(false, "theirs again"))]);
    expect((await recent.findOwn("M1"))?.message?.conversation).toBe("ours");
    expect((await recent.find("M1"))?.message?.conversation).toBe("ours");
  });

  test("messages of others stored by an earlier version are not ours either", async () => {
    const recent = new RecentMessages(link.vault);
    await link.vault.write([{ ...recent.entry(messageOf(false, "theirs")), id: "M1" }]);
    expect(await recent.findOwn("M1")).toBeUndefined();
  });
});

describe("people", () => {
  const numbers = new Map<string, string>();
  const peopleOf = () =>
    new People({
      vault: link.vault,
      emit: (event) => link.emit(event),
      numberOf: async (lid) => numbers.get(lid) ?? null,
    });
  afterEach(() => numbers.clear());

  test("a number is one chat, whichever address WhatsApp used", async () => {
    const people = peopleOf();
    const chat = { chatType: "whatsapp", chatId: "79990000002" };
    expect(await people.chatOf("79990000002@s.whatsapp.net")).toEqual(chat);
    expect(await people.chatOf("5@lid", "79990000002@s.whatsapp.net")).toEqual(chat);
    numbers.set("6@lid", "79990000002@s.whatsapp.net");
    expect(await people.chatOf("6@lid")).toEqual(chat);
    expect(link.events).toEqual([]);
  });

  test("the chat of a hidden person moves once the number is known", async () => {
    expect(await peopleOf().chatOf("5@lid")).toEqual({ chatType: "whatsapp", chatId: "5@lid" });
    const people = peopleOf();
    await people.chatOf("5@lid", "79990000002@s.whatsapp.net");
    await people.chatOf("5@lid", "79990000002@s.whatsapp.net");
    const moved = { kind: "moved", chatType: "whatsapp", chatId: "5@lid", newChatId: "79990000002" };
    expect(link.events).toEqual([moved]);
    expect(await link.vault.readAll("hidden")).toEqual(new Map());
  });

  test.each(["status@broadcast", "1@newsletter", "", null])("%s is not a chat", async (jid) => {
    expect(await peopleOf().chatOf(jid)).toBeNull();
  });

  test("learnt data is kept", async () => {
    await peopleOf().learn("79990000002", { name: "Bob", isKnown: true });
    const people = peopleOf();
    await people.learn("79990000002", { jid: "79990000002@s.whatsapp.net" });
    expect(await peopleOf().find("79990000002")).toEqual({
      name: "Bob",
      isKnown: true,
      jid: "79990000002@s.whatsapp.net",
    });
  });

  test("a missing account is looked up again later", () => {
    const people = peopleOf();
    people.learnAbsent("70000000000", 0);
    expect([people.isAbsent("70000000000", 1), people.isAbsent("70000000000", 3_600_001)]).toEqual([
      true,
      false,
    ]);
  });
});

describe("calls", () => {
  const BOB = "5@lid";
  const [number, group] = ["79990000002@s.whatsapp.net", "1@g.us"];
  const stanza = (tag: string, more: Record<string, string> = {}) => ({
    tag: "call",
    attrs: { from: BOB, id: "N1", t: "1700000000" },
    content: [{ tag, attrs: { "call-id": "C1", "call-creator": BOB, ...more } }],
  });
  const [offer, terminate, reject] = ["offer", "terminate", "reject"].map((tag) => stanza(tag));
  const ended = (reason: string) => stanza("terminate", { reason });
  test.each<[string, unknown[], boolean[]]>([
    ["not answered", [offer, ended("timeout")], [false, true]],
    ["cancelled by the caller", [offer, terminate], [false, true]],
    ["refused", [offer, reject, terminate], [false, true, false]],
    ["refused on the phone", [offer, ended("rejected_elsewhere")], [false, true]],
    ["answered", [offer, stanza("accept"), terminate], [false, false, false]],
    ["answered on the phone", [offer, ended("accepted_elsewhere"), terminate], [false, false, false]],
    [
      "rejected by a device that cannot take calls",
      [offer, stanza("reject", { reason: "uncallable" })],
      [false, false],
    ],
    ["of a group", [stanza("offer", { "group-jid": group }), terminate], [false, false]],
    [
      "no call",
      [
        { ...stanza("terminate"), tag: "message" },
        { tag: "call", attrs: {} },
      ],
      [false, false],
    ],
  ])("%s", (_, stanzas, expected) => {
    const watch = new CallWatch();
    expect(stanzas.map((each) => watch.missedBy(each as never) !== null)).toEqual(expected);
  });

  test("without a number at the end use that of the start", () => {
    const watch = new CallWatch();
    watch.missedBy(stanza("offer", { caller_pn: number }));
    const missed = { id: "C1", from: BOB, alternative: number, at: 1_700_000_000 };
    expect(watch.missedBy(stanza("terminate"))).toEqual(missed);
  });
});

describe("helpers", () => {
  test.each(["", "{}", "[]", "nonsense", '{"type":"image"}'])("%s is not a file token", (token) => {
    expect(parseFileToken(token)).toBeNull();
  });

  test("lists of devices can be forgotten", () => {
    const lists = new DeviceLists();
    lists.set("79990000002", ["0"]);
    lists.set("5", ["0"]);
    lists.forget("79990000002:3@s.whatsapp.net");
    expect([lists.get("79990000002"), lists.get("5")]).toEqual([undefined, ["0"]]);
    lists.forget("1@g.us");
    expect(lists.get("5")).toBeUndefined();
  });
});
