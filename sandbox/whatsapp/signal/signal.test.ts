import { addTransactionCapability, initAuthCreds, type SignalKeyStore } from "baileys";
import { makeLibSignalRepository } from "baileys/lib/Signal/libsignal.js";
import pino from "pino";
import { describe, expect, test } from "vitest";
import { typedKey } from "../crypto/x25519.ts";
import { type CipherType, SignalDevice } from "./device.ts";
import { SenderKey, SenderKeyRing } from "./sender-key.ts";
import { ReadBefore } from "./session.ts";

const never = (): never => {
  throw new Error("nothing is under way");
};
const text = (content: string) => Buffer.from(content);
const address = "111:1";

/** The client's own implementation, with all data in memory. */
function openClient() {
  const creds = initAuthCreds();
  creds.me = { id: "111:1@s.whatsapp.net" };
  const rows = new Map<string, unknown>();
  const logger = pino({ level: "silent" });
  const store = {
    get: async (type: string, ids: string[]) =>
      Object.fromEntries(
        ids.flatMap((id) => (rows.has(`${type} ${id}`) ? [[id, rows.get(`${type} ${id}`)]] : [])),
      ),
    set: async (data: Record<string, Record<string, unknown>>) => {
      for (const [type, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries)) rows.set(`${type} ${id}`, value);
    },
  } as unknown as SignalKeyStore;
  const keys = addTransactionCapability(store, logger, { maxCommitRetries: 1, delayBetweenTriesMs: 1 });
  return { creds, repository: makeLibSignalRepository({ creds, keys }, logger) };
}

async function openPair() {
  const { creds, repository } = openClient();
  const contact = new SignalDevice();
  const { registrationId, identityKey, signedPreKey, preKey } = contact.issueBundle();
  await repository.injectE2ESession({
    jid: "222@lid",
    session: {
      registrationId,
      identityKey: typedKey(identityKey),
      signedPreKey: {
        keyId: signedPreKey.id,
        publicKey: typedKey(signedPreKey.key),
        signature: signedPreKey.signature,
      },
      preKey: { keyId: preKey?.id ?? 0, publicKey: typedKey(preKey?.key ?? Buffer.alloc(32)) },
    },
  });
  const toContact = async (content: string) => {
    const { type, ciphertext } = await repository.encryptMessage({ jid: "222@lid", data: text(content) });
    return { type, ciphertext: Buffer.from(ciphertext) };
  };
  const toClient = (content: string) => contact.encrypt(address, text(content));
  const read = ({ type, ciphertext }: { type: CipherType; ciphertext: Uint8Array }) =>
    contact.decrypt(address, type, ciphertext).toString();
  const clientReads = async ({ type, ciphertext }: { type: CipherType; ciphertext: Buffer }) =>
    Buffer.from(await repository.decryptMessage({ jid: "222@lid", type, ciphertext })).toString();
  return { creds, contact, toContact, toClient, read, clientReads };
}

describe("sessions with the client's library", () => {
  test("first message, reply, ratchet steps, late and repeated messages", async () => {
    const { toContact, toClient, read, clientReads } = await openPair();
    const first = await toContact("one");
    const second = await toContact("two");
    expect([first.type, second.type]).toEqual(["pkmsg", "pkmsg"]);
    expect([read(second), read(first)]).toEqual(["two", "one"]);
    expect(() => read(first)).toThrow(/gone|before/);
    const answer = toClient("three");
    expect(answer.type).toBe("msg");
    expect(await clientReads(answer)).toBe("three");
    const late = await toContact("late");
    expect(late.type).toBe("msg");
    for (let round = 0; round < 5; round++) {
      const sent = toClient(`to ${round}`);
      expect(await clientReads(sent)).toBe(`to ${round}`);
      expect(read(await toContact(`back ${round}`))).toBe(`back ${round}`);
    }
    expect(read(late)).toBe("late");
    const forged = { ...(await toContact("x")) };
    const last = forged.ciphertext.length - 1;
    forged.ciphertext.writeUInt8(forged.ciphertext.readUInt8(last) ^ 1, last);
    expect(() => read(forged)).toThrow(/MAC/);
    expect(read(await toContact("after"))).toBe("after");
  });

  test("a session that the contact starts, and a bundle with a forged key", async () => {
    const { creds, contact, clientReads } = await openPair();
    const bundle = {
      registrationId: creds.registrationId,
      identityKey: Buffer.from(creds.signedIdentityKey.public),
      signedPreKey: {
        id: creds.signedPreKey.keyId,
        key: Buffer.from(creds.signedPreKey.keyPair.public),
        signature: Buffer.from(creds.signedPreKey.signature),
      },
      preKey: undefined,
    };
    const signature = Buffer.from(bundle.signedPreKey.signature);
    signature.writeUInt8(signature.readUInt8(7) ^ 1, 7);
    const forged = { ...bundle, signedPreKey: { ...bundle.signedPreKey, signature } };
    expect(() => contact.begin(address, forged)).toThrow(/not signed/);
    contact.begin(address, bundle);
    const first = contact.encrypt(address, text("hello"));
    expect(first.type).toBe("pkmsg");
    expect(await clientReads(first)).toBe("hello");
  });

  test("a new session keeps the older ones for messages in transit", async () => {
    const { creds, contact, toContact, read, clientReads } = await openPair();
    const underWay = [await toContact("one"), await toContact("two")];
    read(underWay[0] ?? never());
    const { signedPreKey, signedIdentityKey, registrationId } = creds;
    const bundle = {
      registrationId,
      identityKey: Buffer.from(signedIdentityKey.public),
      signedPreKey: {
        id: signedPreKey.keyId,
        key: Buffer.from(signedPreKey.keyPair.public),
        signature: Buffer.from(signedPreKey.signature),
      },
      preKey: undefined,
    };
    for (let times = 0; times < 30; times++) contact.begin(address, bundle);
    expect(await clientReads(contact.encrypt(address, text("anew")))).toBe("anew");
    expect(read(underWay[1] ?? never())).toBe("two");
    expect(() => read(underWay[1] ?? never())).toThrow(ReadBefore);
  });

  test("stored sessions continue after a restart", async () => {
    const { contact, toContact, toClient, clientReads, read } = await openPair();
    read(await toContact("before"));
    await clientReads(toClient("answered"));
    const waiting = await toContact("after the restart");
    const again = new SignalDevice(contact.state);
    expect(again.decrypt(address, waiting.type, waiting.ciphertext).toString()).toBe("after the restart");
    again.forgetSessions();
    expect(() => again.decrypt(address, "msg", waiting.ciphertext)).toThrow("no session");
  });
});

describe("sender keys with the client's library", () => {
  const group = "1203@g.us";

  test("a member's message reaches the client", async () => {
    const { repository } = openClient();
    const key = new SenderKey();
    const told = key.distribution();
    await repository.processSenderKeyDistributionMessage({
      authorJid: "222@lid",
      item: { groupId: group, axolotlSenderKeyDistributionMessage: told },
    });
    for (const content of ["a", "b"]) {
      const msg = key.encrypt(text(content));
      const plain = await repository.decryptGroupMessage({ group, authorJid: "222@lid", msg });
      expect(Buffer.from(plain).toString()).toBe(content);
    }
  });

  test("the client's message reaches a member once, in any order, and only if it is intact", async () => {
    const { repository } = openClient();
    const ring = new SenderKeyRing();
    const send = (content: string) =>
      repository.encryptGroupMessage({ group, data: text(content), meId: "111:1@s.whatsapp.net" });
    const first = await send("one");
    expect(() => ring.decrypt("me", first.ciphertext)).toThrow("no sender key");
    ring.accept("me", first.senderKeyDistributionMessage);
    const second = await send("two");
    expect(ring.decrypt("me", second.ciphertext).toString()).toBe("two");
    expect(ring.decrypt("me", first.ciphertext).toString()).toBe("one");
    ring.accept("me", first.senderKeyDistributionMessage);
    expect(() => ring.decrypt("me", first.ciphertext)).toThrow("read before");
    const forged = Buffer.from((await send("three")).ciphertext);
    forged.writeUInt8(forged.readUInt8(20) ^ 1, 20);
    expect(() => ring.decrypt("me", forged)).toThrow("bad signature");
  });
});
