import { isDeepStrictEqual } from "node:util";
import type {
  BinaryNode,
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  WAMessage,
  WAMessageKey,
} from "baileys";
import type { Vault } from "../../../core/transport/connector.ts";
import { decodeJson } from "../keys/key-store.ts";
import { CIPHERTEXT, cleanMessage, decodeMessageNode, proto, unpadRandomMax16 } from "../library.ts";
import { parseJid } from "../people/addresses.ts";

const FAMILY = "inbox";
/** Messages that core has stored but whose acknowledgement to WhatsApp may have been lost with the connection. */
const REMEMBERED = 100;

/** A received message, with the parts decrypted so far, by their index in the stanza. */
interface Entry {
  /** The sequence number of the entry, over all processes; WhatsApp's own times are whole seconds. */
  readonly number: number;
  readonly node: BinaryNode;
  readonly plains: Record<number, Uint8Array>;
}

interface Place {
  readonly id: string;
  readonly node: BinaryNode;
  readonly index: number;
  readonly ciphertext: Uint8Array;
}

/**
 * The messages that were decrypted but are not stored by core yet. A message can be decrypted only once, and the
 * library acknowledges it before it could be stored. Each plaintext is therefore written in the transaction that
 * advances the keys. After a crash it is emitted from here, and a message that WhatsApp repeats is read from here.
 */
export class Journal {
  readonly #vault: Vault;
  readonly #entries = new Map<string, Entry>();
  readonly #places = new WeakMap<Uint8Array, Place>();
  /** Entry ids by message id, oldest first: two chats may use the same message id. */
  readonly #byMessage = new Map<string, string[]>();
  /**
   * The last stored messages. A repeated one could not be decrypted again, and its author would have to resend it.
   */
  readonly #stored = new Map<string, Entry>();
  #isLoaded = false;
  #lastNumber = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /**
   * The messages that an earlier process or connection decrypted but did not store, in order of arrival. Messages
   * between the account's own devices are excluded: they wait to be repeated, and the library handles them. Nothing
   * may be decrypted before this has resolved once.
   */
  async recover(
    me: { readonly id: string; readonly lid?: string | undefined },
    now: number = Date.now(),
  ): Promise<WAMessage[]> {
    await this.#load(now);
    return [...this.#entries.values()]
      .filter(({ node }) => !isPeer(node))
      .toSorted((a, b) => a.number - b.number)
      .map((entry) => messageOf(entry, me));
  }

  async #load(now: number): Promise<void> {
    if (this.#isLoaded) return;
    const forgotten: string[] = [];
    for (const [id, bytes] of await this.#vault.readAll(FAMILY)) {
      const entry = decodeJson(bytes) as Entry;
      this.#lastNumber = Math.max(this.#lastNumber, entry.number);
      if (isPeer(entry.node) && isOld(entry.node, now)) forgotten.push(id);
      else if (!this.#entries.has(id)) {
        this.#entries.set(id, entry);
        this.#register(id, entry.node);
      }
    }
    this.#isLoaded = true;
    if (forgotten.length > 0)
      await this.#vault.write(forgotten.map((id) => ({ family: FAMILY, id, value: null })));
  }

  /** Call with each stanza before the library gets it. */
  see(node: BinaryNode): void {
    if (!Array.isArray(node.content)) return;
    const id = entryId(node);
    let index = 0;
    for (const { tag, content } of node.content) {
      if (tag !== "enc" || !(content instanceof Uint8Array)) continue;
      this.#places.set(content, { id, node, index: index++, ciphertext: content });
    }
  }

  /** Wraps the library's key repository, so that each plaintext is stored when it is decrypted. */
  guard(
    repository: SignalRepositoryWithLIDStore,
    keys: SignalKeyStoreWithTransaction,
  ): SignalRepositoryWithLIDStore {
    return {
      ...repository,
      decryptMessage: (options) =>
        this.#keep(options.ciphertext, { keys, mutex: options.jid }, () =>
          repository.decryptMessage(options),
        ),
      decryptGroupMessage: (options) =>
        this.#keep(options.msg, { keys, mutex: options.group }, () =>
          repository.decryptGroupMessage(options),
        ),
    };
  }

  async #keep(
    ciphertext: Uint8Array,
    { keys, mutex }: { keys: SignalKeyStoreWithTransaction; mutex: string },
    decrypt: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const place = this.#places.get(ciphertext);
    if (place === undefined) return decrypt();
    const known = this.#entries.get(place.id);
    const same = [known, this.#stored.get(place.id)].find((entry) => isSame(entry, place));
    const plain = same?.plains[place.index];
    if (plain !== undefined) return plain;
    return keys.transaction(async () => {
      const opened = await decrypt();
      const plains = { ...known?.plains, [place.index]: opened };
      // A phone may send a message again before core has stored it: it keeps its place.
      const number = known?.number ?? ++this.#lastNumber;
      const entry: Entry = { number, node: place.node, plains };
      await keys.set({ [FAMILY]: { [place.id]: entry } } as never);
      this.#entries.set(place.id, entry);
      if (known === undefined) this.#register(place.id, place.node);
      return opened;
    }, mutex);
  }

  #register(id: string, { attrs }: BinaryNode): void {
    const messageId = attrs["id"] ?? "";
    this.#byMessage.set(messageId, [...(this.#byMessage.get(messageId) ?? []), id]);
  }

  /** The vault entry to delete now that the message is stored; null if there is none. */
  release(key: WAMessageKey): { readonly family: string; readonly id: string; readonly value: null } | null {
    const messageId = key.id ?? "";
    const known = this.#byMessage.get(messageId) ?? [];
    const id = known.find((each) => isNamed(this.#entries.get(each), key));
    if (id === undefined) return null;
    if (known.length > 1)
      this.#byMessage.set(
        messageId,
        known.filter((each) => each !== id),
      );
    else this.#byMessage.delete(messageId);
    this.#remember(id);
    this.#entries.delete(id);
    return { family: FAMILY, id, value: null };
  }

  #remember(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#stored.set(id, entry);
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > REMEMBERED && oldest !== undefined) this.#stored.delete(oldest);
  }
}

/** How long WhatsApp repeats an unacknowledged message. */
const REPEATED_MS = 14 * 86_400_000;

/** A message between the account's own devices: keys, history. */
function isPeer({ attrs }: BinaryNode): boolean {
  return attrs["category"] === "peer";
}

function isOld({ attrs }: BinaryNode, now: number): boolean {
  return now - Number(attrs["t"] ?? 0) * 1000 > REPEATED_MS;
}

function entryId({ attrs }: BinaryNode): string {
  return [attrs["id"], attrs["from"], attrs["participant"]].filter(Boolean).join(" ");
}

/** Whether a message key of the library, which ignores devices, refers to this entry. */
function isNamed(entry: Entry | undefined, { remoteJid, participant }: WAMessageKey): boolean {
  const { from, recipient, participant: author } = entry?.node.attrs ?? {};
  return isSamePerson(recipient ?? from, remoteJid) && isSamePerson(author, participant);
}

function isSamePerson(a: string | undefined, b: string | null | undefined): boolean {
  return isDeepStrictEqual(parseJid(a), parseJid(b));
}

/** Whether an entry contains the plaintext of this exact ciphertext: a retransmission has the same id. */
function isSame(entry: Entry | undefined, { index, ciphertext }: Place): boolean {
  const nodes = Array.isArray(entry?.node.content) ? entry.node.content : [];
  const content = nodes.filter(({ tag }) => tag === "enc")[index]?.content;
  return content instanceof Uint8Array && Buffer.compare(content, ciphertext) === 0;
}

/** The message as the library would have produced it. */
function messageOf({ node, plains }: Entry, me: { id: string; lid?: string | undefined }): WAMessage {
  const { fullMessage } = decodeMessageNode(node, me.id, me.lid ?? "");
  // Called before the content is set: the library would process reactions and votes, which are not needed, and fail
  // on invalid ones.
  cleanMessage(fullMessage, me.id, me.lid ?? "");
  try {
    for (const plain of Object.values(plains)) {
      const decoded = proto.Message.decode(unpadRandomMax16(plain));
      fullMessage.message = Object.assign(
        fullMessage.message ?? {},
        decoded.deviceSentMessage?.message ?? decoded,
      );
    }
  } catch {
    // The decrypted content is not a valid message.
    fullMessage.messageStubType = CIPHERTEXT;
  }
  return fullMessage;
}
