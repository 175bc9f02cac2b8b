import { setImmediate as nextTick } from "node:timers/promises";
import type { SignalKeyStoreWithTransaction } from "baileys";
import { beforeEach, expect, test } from "vitest";
import { createTestLink } from "../../../core/transport/conformance.ts";
import type { Vault } from "../../../core/transport/connector.ts";
import { Journal } from "../inbound/journal.ts";
import { addTransactionCapability, Curve, DEFAULT_CONNECTION_CONFIG, initAuthCreds } from "../library.ts";
import { createKeyStore } from "./key-store.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { repositoryMaker } from "./repository.ts";

const US = "111@lid";
const THEM = "222@lid";
const { transactionOpts, logger: loud } = DEFAULT_CONNECTION_CONFIG;
const logger = loud.child({});
logger.level = "silent";

/** The keys of an account over all its connections. */
function openKeys() {
  const { vault } = createTestLink({ credentials: {}, settings: {} });
  let writable = Promise.resolve();
  // A real store responds with a delay.
  const distant: Vault = {
    ...vault,
    async write(entries) {
      await writable;
      return vault.write(entries);
    },
    async read(family, ids) {
      await nextTick();
      return vault.read(family, ids);
    },
  };
  const creds = initAuthCreds();
  creds.me = { id: US };
  const start = () => ({
    keys: createKeyStore(distant),
    journal: new Journal(distant),
    turns: new KeyedMutex(),
  });
  let parts = start();
  /** The library's key store of one connection, which sends within its own transactions. */
  const connect = () => {
    const keys = addTransactionCapability(parts.keys, logger, transactionOpts);
    return { keys, repository: repositoryMaker(parts)({ creds, keys }, logger) };
  };
  /** The first connection of another process. */
  const restart = () => {
    parts = start();
    return connect();
  };
  let lastKey = 0;
  /** A key bundle for a person who starts a chat, with a one-time key. */
  const bundle = async () => {
    const [preKey, id] = [Curve.generateKeyPair(), ++lastKey];
    await parts.keys.set({ "pre-key": { [id]: preKey } });
    const { signedPreKey: signed, signedIdentityKey, registrationId } = creds;
    return {
      registrationId,
      identityKey: typed(signedIdentityKey.public),
      signedPreKey: {
        keyId: signed.keyId,
        publicKey: typed(signed.keyPair.public),
        signature: signed.signature,
      },
      preKey: { keyId: id, publicKey: typed(preKey.public) },
    };
  };
  /** Writes wait until the returned function is called. */
  const holdWrites = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    writable = promise;
    return resolve;
  };
  return { connect, restart, bundle, holdWrites };
}

const typed = (key: Uint8Array): Buffer => Buffer.concat([Buffer.of(5), key]);

let ours: ReturnType<typeof openKeys>;
let theirs: ReturnType<typeof openKeys>;
let us: ReturnType<typeof ours.connect>;
let them: ReturnType<typeof ours.connect>;
beforeEach(() => {
  [ours, theirs] = [openKeys(), openKeys()];
  [us, them] = [ours.connect(), theirs.connect()];
});

type Sealed = Awaited<ReturnType<typeof us.repository.encryptMessage>>;
type Repository = typeof us.repository;

const write = ({ repository }: { repository: Repository }, jid: string, text: string): Promise<Sealed> =>
  repository.encryptMessage({ jid, data: Buffer.from(text) });
const read = async (
  { repository }: { repository: Repository },
  jid: string,
  sealed: Sealed,
): Promise<string> =>
  Buffer.from(
    await repository.decryptMessage({ jid, type: sealed.type, ciphertext: Buffer.from(sealed.ciphertext) }),
  ).toString();

/** Both sides have written to each other once. */
async function meet(): Promise<void> {
  await us.repository.injectE2ESession({ jid: THEM, session: await theirs.bundle() });
  expect(await read(them, US, await write(us, THEM, "hello"))).toBe("hello");
  expect(await read(us, THEM, await write(them, US, "hello too"))).toBe("hello too");
}

/** Sends like the library: it encrypts, sends, and then ends the transaction. */
async function send(
  keys: SignalKeyStoreWithTransaction,
  seal: () => Promise<Sealed>,
  leaving: (sealed: Sealed) => Promise<void>,
): Promise<void> {
  await keys.transaction(async () => leaving(await seal()), US);
}

test("each text has its own key, also if the connection was lost during the previous send", async () => {
  await meet();
  let left: Sealed | undefined;
  const sending = send(
    us.keys,
    () => write(us, THEM, "on its way"),
    async (sealed) => {
      left = sealed;
      throw new Error("the line is lost");
    },
  );
  await expect(sending).rejects.toThrow("the line is lost");
  const next = await write(ours.connect(), THEM, "next");
  if (left === undefined) throw new Error("nothing left");
  expect(await read(them, US, left)).toBe("on its way");
  expect(await read(them, US, next)).toBe("next");
});

test("a session that is replaced during a send is kept", async () => {
  await meet();
  const [sealing, begun] = [Promise.withResolvers<Sealed>(), Promise.withResolvers<void>()];
  const sending = send(
    us.keys,
    () => write(us, THEM, "first"),
    async (sealed) => {
      sealing.resolve(sealed);
      await begun.promise;
    },
  );
  const left = await sealing.promise;
  await us.repository.injectE2ESession({ jid: THEM, session: await theirs.bundle() });
  begun.resolve();
  await sending;
  const next = await write(us, THEM, "second");
  expect([left.type, next.type]).toEqual(["msg", "pkmsg"]);
  expect([await read(them, US, left), await read(them, US, next)]).toEqual(["first", "second"]);
});

test("a session advances by one text at a time, for sends and receives over all connections", async () => {
  await meet();
  const later = ours.connect();
  for (let round = 0; round < 10; round++) {
    const arriving = await Promise.all(["a", "b"].map((text) => write(them, US, text)));
    const [first, second, ...others] = await Promise.all([
      write(us, THEM, "first"),
      write(later, THEM, "second"),
      ...arriving.map((sealed, index) => read(index === 0 ? us : later, THEM, sealed)),
    ]);
    expect(others).toEqual(["a", "b"]);
    expect(await Promise.all([first, second].map((each) => read(them, US, each as Sealed)))).toEqual([
      "first",
      "second",
    ]);
  }
});

test("each text has its own key, also while another account of the process writes to the same person", async () => {
  await meet();
  const neighbours = openKeys();
  const neighbour = neighbours.connect();
  await neighbour.repository.injectE2ESession({ jid: THEM, session: await theirs.bundle() });
  const writeOn = neighbours.holdWrites();
  const [first, beside] = [write(us, THEM, "one"), write(neighbour, THEM, "beside")];
  const sent = [await first];
  const second = write(us, THEM, "two");
  // The neighbour's store responds only while the second text is being sent.
  for (let turn = 0; turn < 10; turn++) await nextTick();
  writeOn();
  sent.push(await second, await write(us, THEM, "three"));
  expect(await Promise.all(sent.map((sealed) => read(them, US, sealed)))).toEqual(["one", "two", "three"]);
  expect(await read(them, "444@lid", await beside)).toBe("beside");
});

test("the current session survives a text for an older one", async () => {
  await meet();
  const late = await write(them, US, "late");
  await us.repository.injectE2ESession({ jid: THEM, session: await theirs.bundle() });
  expect(await read(us, THEM, late)).toBe("late");
  expect(await read(them, US, await write(us, THEM, "new"))).toBe("new");
});

test("the number and the hidden address share one session", async () => {
  const number = "333@s.whatsapp.net";
  await us.repository.lidMapping.storeLIDPNMappings([{ lid: THEM, pn: number }]);
  await meet();
  us = ours.restart();
  expect(await us.repository.lidMapping.getLIDForPN(number)).toBe(THEM);
  const sealed = await Promise.all([write(us, number, "one"), write(us, THEM, "two")]);
  expect(await Promise.all(sealed.map((each) => read(them, US, each)))).toEqual(["one", "two"]);
});
