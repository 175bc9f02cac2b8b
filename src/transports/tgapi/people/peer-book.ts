import { getAllPeersFrom, getMarkedPeerId, Long, type tl } from "@mtcute/core";
import type { Vault, VaultEntry } from "../../../core/transport/connector.ts";
import { peerOf, readKnown, type TgKnown } from "../inbound/update.ts";
import { toPlain } from "../library/plain.ts";
import { idOfKnown, phoneOf, usernameOf } from "./names.ts";

const PEERS = "peer";
const NAMES = "name";
const REMEMBERED = 100;

/** A stored peer; `seenIn` is a message of theirs, used in place of an unknown access hash. */
interface Entry {
  readonly who: TgKnown;
  readonly seenIn?: { readonly chatId: string; readonly messageId: number };
}

/** The result of resolving a username or number; null: no such person. */
export interface Found {
  readonly chatId: string | null;
  readonly at: number;
}

/**
 * All peers that the account has seen, in the channel's vault: Telegram accepts a message only with the access hash
 * that it gave this account for the recipient. Replaces the library's own peer store, whose cache confuses people and
 * small groups with the same number (`PeersService.store` of mtcute 0.30.3 uses only the number as the key).
 */
export class PeerBook {
  readonly #vault: Pick<Vault, "read" | "write">;
  readonly #recent = new Map<string, Entry>();

  constructor(vault: Pick<Vault, "read" | "write">) {
    this.#vault = vault;
  }

  /** Stores all users and chats in a response or update; resolves when they are stored. */
  async updatePeersFrom(given: object): Promise<boolean> {
    const seen = [...getAllPeersFrom(given as Parameters<typeof getAllPeersFrom>[0])];
    await this.learn(seen);
    return seen.length > 0;
  }

  async learn(seen: readonly unknown[]): Promise<void> {
    const read = seen.flatMap((each) => {
      const who = readKnown(toPlain(each));
      const id = who && idOfKnown(who);
      return who === undefined || id === undefined ? [] : [{ id, who }];
    });
    await this.#load(read.map(({ id }) => id));
    const entries = read.flatMap(({ id, who }) => this.#entriesOf(id, who));
    if (entries.length > 0) await this.#vault.write(entries);
  }

  /** Stores a message of a peer whose access hash is unknown. */
  async learnPlace(id: string, chatId: string, messageId: number): Promise<void> {
    await this.#load([id]);
    const known = this.#recent.get(id);
    if (known?.who.min !== true || known.seenIn !== undefined) return;
    const entry = { ...known, seenIn: { chatId, messageId } };
    this.#remember(id, entry);
    await this.#vault.write([toVault(id, entry)]);
  }

  async who(id: string): Promise<TgKnown | undefined> {
    await this.#load([id]);
    return this.#recent.get(id)?.who;
  }

  /** The recipient as an input peer; null if Telegram never showed it to this account. */
  async inputPeer(chatId: string): Promise<tl.TypeInputPeer | null> {
    const peer = peerOf(chatId);
    if (peer === null) return null;
    if (peer.kind === "chat") return { _: "inputPeerChat", chatId: peer.id };
    await this.#load([chatId]);
    const entry = this.#recent.get(chatId);
    if (entry === undefined) return null;
    const accessHash = entry.who.min === true ? undefined : entry.who.accessHash;
    if (accessHash === undefined) return this.#throughMessage(peer, entry);
    const hash = Long.fromString(accessHash);
    return peer.kind === "user"
      ? { _: "inputPeerUser", userId: peer.id, accessHash: hash }
      : { _: "inputPeerChannel", channelId: peer.id, accessHash: hash };
  }

  /** The earlier result for a username (with @) or a number (with +). */
  async found(name: string): Promise<Found | null> {
    const value = (await this.#vault.read(NAMES, [name.toLowerCase()])).get(name.toLowerCase());
    return value === undefined ? null : (JSON.parse(Buffer.from(value).toString()) as Found);
  }

  async learnName(name: string, chatId: string | null): Promise<void> {
    await this.#vault.write([nameEntry(name, chatId)]);
  }

  // The methods that the library's update handling requires.

  async getById(id: number): Promise<tl.TypeInputPeer | null> {
    return this.inputPeer(String(id));
  }

  /** Only the fields used here; the library reads only `min`. */
  async getCompleteById(id: number): Promise<tl.TypeUser | tl.TypeChat | null> {
    const who = await this.who(String(id));
    return who === undefined || who.min === true ? null : (who as unknown as tl.TypeUser);
  }

  async close(): Promise<void> {}

  async #throughMessage(
    peer: { readonly kind: "user" | "chat" | "channel"; readonly id: number },
    { seenIn }: Entry,
  ): Promise<tl.TypeInputPeer | null> {
    if (peer.kind !== "user" || seenIn === undefined) return null;
    const chat = await this.inputPeer(seenIn.chatId);
    if (chat === null) return null;
    return { _: "inputPeerUserFromMessage", peer: chat, msgId: seenIn.messageId, userId: peer.id };
  }

  /**
   * Returns no entries if nothing has changed. Partial data (`min`, core.telegram.org/api/min) does not replace full
   * data.
   */
  #entriesOf(id: string, who: TgKnown): VaultEntry[] {
    const known = this.#recent.get(id);
    if (who.min === true && known !== undefined && known.who.min !== true) return [];
    if (known !== undefined && JSON.stringify(known.who) === JSON.stringify(who)) return [];
    const isFull = who.min !== true;
    const entry = isFull || known?.seenIn === undefined ? { who } : { who, seenIn: known.seenIn };
    this.#remember(id, entry);
    const [username, phone] = [usernameOf(who), phoneOf(who)];
    return [
      toVault(id, entry),
      ...(isFull && username !== undefined ? [nameEntry(`@${username}`, id)] : []),
      ...(isFull && phone !== undefined && who._ === "user" ? [nameEntry(`+${phone}`, id)] : []),
    ];
  }

  async #load(ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !this.#recent.has(id));
    if (unknown.length === 0) return;
    const stored = await this.#vault.read(PEERS, unknown);
    for (const [id, value] of stored) this.#remember(id, JSON.parse(Buffer.from(value).toString()) as Entry);
  }

  #remember(id: string, entry: Entry): void {
    this.#recent.delete(id);
    this.#recent.set(id, entry);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
  }
}

function toVault(id: string, entry: Entry): VaultEntry {
  return { family: PEERS, id, value: Buffer.from(JSON.stringify(entry)) };
}

function nameEntry(name: string, chatId: string | null): VaultEntry {
  const found: Found = { chatId, at: Date.now() };
  return { family: NAMES, id: name.toLowerCase(), value: Buffer.from(JSON.stringify(found)) };
}

/** Replaces the library's `RefMessagesService`, which stores where peers were seen. */
export function createSightings(book: PeerBook): {
  store(peerId: number, chatId: number, messageId: number): Promise<void>;
  delete(): Promise<void>;
  deleteByPeer(): Promise<void>;
} {
  const nothing = async (): Promise<void> => undefined;
  return {
    store: (peerId, chatId, messageId) => book.learnPlace(String(peerId), String(chatId), messageId),
    delete: nothing,
    deleteByPeer: nothing,
  };
}

/** The chat id of a library peer. */
export function chatIdOfPeer(peer: tl.TypePeer): string {
  return String(getMarkedPeerId(peer));
}
