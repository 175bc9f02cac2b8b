import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type Account,
  type Hosts,
  hangAtMessage,
  hastySessions,
  linkAccount,
  openAccount,
  scan,
  startWhatsappStand,
  type WhatsappStand,
} from "../kit/whatsapp.ts";

/** The order in which WhatsApp delivered messages, with a library that is busy with the first of them. */

let stand: WhatsappStand;
let sessions: Hosts;
const open: Account[] = [];

beforeAll(async () => {
  stand = await startWhatsappStand();
  sessions = hastySessions();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ session }) => session.close()));
});
afterAll(() => stand.close());

async function linked(): Promise<Account> {
  const account = await linkAccount(stand, sessions);
  open.push(account);
  account.mark();
  return account;
}

interface Held {
  /** The store has got a request and does not respond. */
  readonly reached: Promise<void>;
  letGo(): void;
}

/** The first request for such an entry, or for one of the family, gets no response until it is released. */
function hold({ link: { vault } }: Account, what: "read" | "write", family: string, id?: string): Held {
  const [reached, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { read, write } = vault;
  let isOver = false;
  const waitFor = async (asked: readonly { family: string; id: string }[]): Promise<void> => {
    const fits = asked.some((each) => each.family === family && each.id === (id ?? each.id));
    if (isOver || !fits) return;
    isOver = true;
    reached.resolve();
    await free.promise;
  };
  if (what === "write") {
    vault.write = async (entries) => {
      await waitFor(entries);
      return write(entries);
    };
  } else {
    vault.read = async (asked, ids) => {
      await waitFor(ids.map((each) => ({ family: asked, id: each })));
      return read(asked, ids);
    };
  }
  return { reached: reached.promise, letGo: free.resolve };
}

const write = (account: Account, person: string, text: string, more: object = {}) =>
  stand.admin(`POST /people/${person}/messages`, { to: account.phone, text, ...more });

/** Resolves when the channel has read everything sent to it so far. */
async function untilRead({ phone }: Account, person: string): Promise<void> {
  const acks = `GET /acks?phone=${phone}&class=notification`;
  const { count } = await stand.admin<{ count: number }>(acks);
  await stand.admin(`POST /people/${person}/photos`, {});
  const { complete } = await stand.admin<{ complete: boolean }>(
    `${acks}&count=${count + 1}&timeout_ms=30000`,
  );
  expect(complete).toBe(true);
}

/**
 * The events reported for a person, in order; a missed call as such. A message that WhatsApp repeats after a lost
 * connection may be reported again: core deduplicates it by its id.
 */
const told = ({ link }: Account): string[] => {
  const messages = link.events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
  const ids = messages.map(({ externalId }) => externalId);
  return messages
    .filter(({ externalId }, place) => ids.indexOf(externalId) === place)
    .map(({ body }) => (body.type === "text" ? body.text : body.type));
};

const untilTold = (account: Account, text: string) =>
  account.message(({ body }) => (body.type === "text" ? body.text : body.type) === text);

describe("messages arrive in order", () => {
  test.each(["pn", "lid"])("the first messages of a new person, under %s", async (addressing) => {
    const account = await linked();
    const ann = await stand.addPerson();
    // The service now knows both addresses of this person, and looks up sessions under the other one.
    const held = hold(account, "read", "device-list", ann);
    await write(account, ann, "one", { addressing });
    await held.reached;
    for (const text of ["two", "three"]) await write(account, ann, text, { addressing });
    await untilRead(account, ann);
    held.letGo();
    await untilTold(account, "three");
    expect(told(account)).toEqual(["one", "two", "three"]);
  });

  test("live messages after pending ones", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    await account.session.close();
    for (const text of ["one", "two", "three"]) await write(account, ann, text);
    const held = hold(account, "write", "inbox");
    await account.reopen();
    await held.reached;
    await account.state("active");
    await write(account, ann, "four");
    await untilRead(account, ann);
    held.letGo();
    await untilTold(account, "four");
    expect(told(account)).toEqual(["one", "two", "three", "four"]);
  });

  test("a call after a text", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    const held = hold(account, "write", "inbox");
    await write(account, ann, "I shall call you");
    await held.reached;
    const call = await stand.admin<{ call_id: string }>(`POST /people/${ann}/calls`, { to: account.phone });
    await stand.admin(`POST /people/${ann}/calls/${call.call_id}/ends`, { to: account.phone });
    await untilRead(account, ann);
    held.letGo();
    await untilTold(account, "missing_call");
    expect(told(account)).toEqual(["I shall call you", "missing_call"]);
  });
});

describe("no event is lost", () => {
  test.each([
    ["write", "contact"],
    ["write", "inbox"],
    ["read", "pre-key"],
  ] as const)("when the store fails for a moment, asked to %s: %s", async (what, family) => {
    const account = await linked();
    const ann = await stand.addPerson();
    const { vault } = account.link;
    const { [what]: work } = vault;
    const fail = async (...asked: readonly unknown[]): Promise<never> => {
      if (!JSON.stringify(asked).includes(`"${family}"`)) return work(...(asked as [never, never])) as never;
      vault[what] = work as never;
      throw new Error("the database is away");
    };
    vault[what] = fail;
    // WhatsApp would not send it again.
    for (const text of ["one", "two"]) await write(account, ann, text, { repeatable: false });
    await untilTold(account, "two");
    expect(told(account)).toEqual(["one", "two"]);
  });

  test("after a message that is requested again, with an id that another person has used", async () => {
    const account = await linked();
    const [ann, bob] = [await stand.addPerson("Ann"), await stand.addPerson("Bob")];
    for (const person of [ann, bob]) await write(account, person, "hi");
    await vi.waitUntil(() => told(account).length === 2);
    const spoilt = { message_id: "3EB0SAME", addressing: "lid", corrupt: true, repeatable: false };
    await write(account, bob, "spoilt", spoilt);
    await untilRead(account, ann);
    await stand.admin(`POST /people/${account.phone}/devices/any/freezes`);
    await write(account, ann, "spoilt", spoilt);
    // WhatsApp would not send it again.
    await write(account, ann, "after", { addressing: "lid", repeatable: false });
    await stand.admin(`POST /people/${account.phone}/devices/any/thaws`);
    await untilTold(account, "after");
  });

  test("sent while the store fails: it is sent again, and arrives once", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    const { vault } = account.link;
    const { read } = vault;
    vault.read = async (family, ids) => {
      if (family !== "contact") return read(family, ids);
      vault.read = read;
      throw new Error("the database is away");
    };
    const id = randomUUID();
    await expect(account.send(ann, "hello", { id })).rejects.toMatchObject({ retry: "unknown" });
    await account.send(ann, "hello", { id });
    const chat = `GET /people/${ann}/chats/${account.phone}/messages`;
    expect((await stand.admin<{ items: object[] }>(chat)).items).toMatchObject([{ text: "hello" }]);
  });

  test.each(["missing_call", "unsupported"])(
    "a %s, although the process dies before it is stored",
    async (type) => {
      const account = await linked();
      const ann = await stand.addPerson();
      const hung = hangAtMessage(account);
      if (type === "missing_call") {
        const calls = `POST /people/${ann}/calls`;
        const { call_id } = await stand.admin<{ call_id: string }>(calls, { to: account.phone });
        await stand.admin(`${calls}/${call_id}/ends`, { to: account.phone });
      } else await stand.admin(`POST /people/${ann}/messages`, { to: account.phone, kind: "view_once" });
      await hung;
      account.mark();
      account.link.onEmit(null);
      for (const { pid } of sessions.usage()) process.kill(pid, "SIGKILL");
      await untilTold(account, type);
      expect(told(account)).toEqual([type]);
      await vi.waitUntil(async () => (await account.link.vault.readAll("notice")).size === 0);
    },
  );

  test.each(["its process dies", "the line is lost"])(
    "a message that can never be decrypted is reported as such, although %s meanwhile",
    async (what) => {
      const account = await linked();
      const ann = await stand.addPerson();
      const { vault } = account.link;
      const { write: store } = vault;
      const kept = Promise.withResolvers<void>();
      vault.write = async (entries) => {
        await store(entries);
        if (entries.some(({ family }) => family === "unread")) kept.resolve();
      };
      const { message_id: id } = await write(account, ann, "never", { corrupt: true, repeatable: false });
      // After the acknowledgement it is not repeated.
      await stand.admin(`GET /acks?phone=${account.phone}&message_id=${id}&count=1&timeout_ms=30000`);
      await kept.promise;
      if (what === "the line is lost") await stand.admin(`POST /people/${account.phone}/devices/any/drops`);
      else for (const { pid } of sessions.usage()) process.kill(pid, "SIGKILL");
      await untilTold(account, "unsupported");
      expect(told(account)).toEqual(["unsupported"]);
      await vi.waitUntil(async () => (await vault.readAll("unread")).size === 0);
    },
  );
});

describe("history", () => {
  test("a message that arrived just before the history, and is contained in it, is reported once and in order", async () => {
    const account = await linked();
    const ann = await stand.addPerson();
    await account.session.close();
    for (const text of ["one", "two", "three"]) await write(account, ann, text);
    await stand.admin(`POST /people/${account.phone}/devices/any/history`);
    await write(account, ann, "four");
    await account.reopen();
    await untilTold(account, "four");
    expect(told(account)).toEqual(["one", "two", "three", "four"]);
  });

  test("messages written right after linking are not part of it", async () => {
    const account = await openAccount(stand, sessions);
    open.push(account);
    const ann = await stand.addPerson();
    await scan(stand, account);
    const texts = Array.from({ length: 10 }, (_, number) => `text ${number}`);
    for (const text of texts) await write(account, ann, text);
    await account.state("active");
    await write(account, ann, "last");
    await untilTold(account, "last");
    expect(told(account)).toEqual([...texts, "last"]);
  });
});
