import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { BinaryNode, MessageUserReceiptUpdate, WAMessage, WAMessageUpdate, WASocket } from "baileys";
import type { ChannelLink, VaultEntry } from "../../../core/transport/connector.ts";
import type {
  HistoryMessage,
  InboundMessage,
  MessageBody,
  TransportEvent,
} from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { pictureOf } from "../file-token.ts";
import { CIPHERTEXT, decodeMessageNode } from "../library.ts";
import { openEdit, openVote, type SealedEdit, type SealedVote } from "../outbound/sealed-edit.ts";
import { type Address, type ChatName, chatNameOf, jidOf, parseJid } from "../people/addresses.ts";
import { chatKeyOf, type People } from "../people/people.ts";
import { type Content, optionsOf, readContent, readEdit, readExpiration, unknownIn } from "./body.ts";
import { CallWatch, type MissedCall } from "./calls.ts";
import { type GroupNotice, readGroupNotices } from "./group-notice.ts";
import { seenGroup, toGroupNews } from "./group-updates.ts";
import type { HistoryImport } from "./history.ts";
import type { Journal } from "./journal.ts";
import { KeptNotices } from "./kept-notices.ts";
import { decodeReceived, encodeReceived, isKept, type Received } from "./received.ts";
import type { RecentMessages } from "./recent.ts";
import { UnreadMessages } from "./unread.ts";

/** `proto.WebMessageInfo.Status` */
const DELIVERY_ACK = 3;
const READ = 4;
const EMIT_AGAIN_MS = 1_000;
/** An edit may arrive before the message that it edits is stored. */
const REMEMBERED = 300;

export interface ReceiverParts {
  readonly link: Pick<ChannelLink, "emit" | "deadLetter" | "reportUnknown" | "vault" | "log" | "signal">;
  readonly people: People;
  readonly journal: Journal;
  readonly recent: RecentMessages;
  readonly history: Pick<HistoryImport, "keep">;
  readonly undecryptableMs: number;
  /** A group's name, looked up if it is unknown. */
  groupName(jid: string): Promise<string>;
  /** The account's own addresses. */
  me(): { readonly id: string; readonly lid?: string | undefined };
}

/** Converts the library's events to ours, in order of arrival, and stores what must survive a crash. */
export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #calls = new CallWatch();
  readonly #notices: KeptNotices;
  /** The event readers of stanzas that are kept and currently processed by the library. */
  readonly #kept = new WeakMap<BinaryNode, ReadNews>();
  readonly #unread: UnreadMessages;
  /** The latest messages, by side and id. */
  readonly #editable = new Map<string, Editable>();
  #last: Promise<void> = Promise.resolve();
  /** The channel closed before a received item was passed to core; a kept one must not overtake it. */
  #isCut = false;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#notices = new KeptNotices(parts.link.vault);
    this.#unread = new UnreadMessages({
      vault: parts.link.vault,
      waitMs: parts.undecryptableMs,
      giveUp: (message) => this.#inOrder(() => this.#giveUp(message)),
    });
  }

  listen({ ev }: WASocket): void {
    ev.on("messages.upsert", ({ messages }) =>
      // Withheld messages were already kept as stanzas.
      this.take(messages.filter((message) => !isWithheld(message))),
    );
    ev.on("messages.update", (updates) =>
      this.#inOrder(() => this.#takeUpdates(updates), { kind: "updates", updates }),
    );
    ev.on("message-receipt.update", (updates) =>
      this.#inOrder(() => this.#takeGroupReceipts(updates), { kind: "group receipts", updates }),
    );
    ev.on("lid-mapping.update", ({ lid, pn }) => this.#inOrder(() => this.#reveal(lid, pn)));
    ev.on("groups.update", (groups) => {
      for (const { id } of groups) if (id !== undefined) this.#parts.people.forgetGroup(id);
      // WhatsApp may report only that groups have changed; the library then looks all of them up.
      for (const seen of groups.flatMap((group) => seenGroup(group) ?? []))
        this.#inOrder(async () => void this.#emit(seen).catch(() => undefined));
    });
    ev.on("group-participants.update", ({ id }) => this.#parts.people.forgetGroup(id));
  }

  /** Resolves when everything received so far has been passed to core; unstored messages stay in the journal. */
  settle(): Promise<void> {
    return this.#last;
  }

  close(): void {
    this.#unread.close();
  }

  take(messages: readonly WAMessage[]): void {
    for (const message of messages)
      this.#inOrder(() => this.#takeMessage(message), { kind: "message", message });
  }

  /**
   * Call with each stanza before the library gets it, because it acknowledges some before their events could be
   * stored.
   */
  async keep(node: BinaryNode): Promise<void> {
    const read = this.#readerOrFault(node);
    if (read === null) return;
    await this.#notices.keep(node);
    this.#kept.set(node, read);
  }

  /** Call with each kept stanza, in order with the messages that the library makes of others. */
  takeKept(node: BinaryNode): void {
    const read = this.#kept.get(node);
    if (read !== undefined) this.#inOrder(() => this.#tell(node, read), { kind: "stanza", node });
  }

  /** Emits the stanzas that an earlier process kept but did not emit. */
  async recover(): Promise<void> {
    await this.#unread.recover();
    for (const node of await this.#notices.recover()) {
      const read = this.#readerOrFault(node);
      if (read !== null) this.#inOrder(() => this.#tell(node, read), { kind: "stanza", node });
    }
  }

  /** A stanza that cannot be parsed fails when its turn comes, and then becomes a dead letter. */
  #readerOrFault(node: BinaryNode): ReadNews | null {
    try {
      return this.#readerOf(node);
    } catch (error) {
      return () => Promise.reject(error);
    }
  }

  /** Null for stanzas whose events come from the library, or that have none. */
  #readerOf(node: BinaryNode): ReadNews | null {
    const notices = readGroupNotices(node);
    if (notices.length > 0) return () => this.#newsOf(notices);
    if (tellsOfWithheld(node)) return () => this.#newsOfWithheld(node);
    const call = this.#calls.missedBy(node);
    return call === null ? null : () => this.#newsOfCall(call);
  }

  async #tell(node: BinaryNode, read: ReadNews): Promise<void> {
    const news = await read();
    const stored = Promise.all(news.map((event) => this.#emit(event)));
    stored.then(() => this.#notices.release(node)).catch(() => undefined);
  }

  async #newsOf(notices: readonly GroupNotice[]): Promise<TransportEvent[]> {
    const news = await Promise.all(notices.map((notice) => toGroupNews(notice, this.#parts)));
    return news.filter((event) => event !== null);
  }

  async #newsOfWithheld(node: BinaryNode): Promise<TransportEvent[]> {
    const { id, lid = "" } = this.#parts.me();
    const { fullMessage } = decodeMessageNode(node, id, lid);
    return this.#again(() => this.#eventsOf(fullMessage, WITHHELD));
  }

  async #newsOfCall({ id, from, alternative, at }: MissedCall): Promise<TransportEvent[]> {
    const chat = this.#isMe(from) ? null : await this.#chatOf({ remoteJid: from, remoteJidAlt: alternative });
    if (chat === null) return [];
    const message = { key: { id, fromMe: false }, messageTimestamp: at } as WAMessage;
    const about = await this.#again(() => this.#about(message, chat));
    return [{ kind: "message", message: { ...about, body: { type: "missing_call" } } }];
  }

  /** Runs `work` in order; if it fails, `received` becomes a dead letter, unless the channel has closed. */
  #inOrder(work: () => Promise<unknown>, received?: Received): void {
    this.#last = this.#last
      .then(() => (this.#isCut && isKept(received) ? undefined : work()))
      .catch((error: unknown) => this.#refuse(error, received))
      .then(
        () => undefined,
        () => undefined,
      );
  }

  async #refuse(error: unknown, received: Received | undefined): Promise<void> {
    const { link, journal } = this.#parts;
    if (link.signal.aborted) {
      this.#isCut = true;
      return;
    }
    if (received === undefined) {
      link.log("warn", "WhatsApp: an update could not be processed", { error: String(error) });
      return;
    }
    await this.#again(() => link.deadLetter(encodeReceived(received), String(error)));
    if (received.kind === "stanza") return this.#notices.release(received.node);
    if (received.kind !== "message") return;
    const done = [journal.release(received.message.key), this.#unread.take(received.message.key)];
    const entries = done.filter((entry) => entry !== null);
    if (entries.length > 0) await link.vault.write(entries);
  }

  /** Processes a dead letter again. Resolves when its events have been passed to core. */
  async reprocess(letter: unknown): Promise<void> {
    const received = decodeReceived(letter);
    switch (received.kind) {
      case "message":
        this.take([received.message]);
        break;
      case "stanza":
        await this.keep(received.node);
        this.takeKept(received.node);
        break;
      case "updates":
        this.#inOrder(() => this.#takeUpdates(received.updates), received);
        break;
      case "group receipts":
        this.#inOrder(() => this.#takeGroupReceipts(received.updates), received);
    }
    await this.settle();
  }

  /** A message of the history, and its further files; nothing for an entry that is no message of a chat. */
  async fromHistory(message: WAMessage): Promise<HistoryMessage[]> {
    if (text(message.key.id) === undefined) return [];
    const content = readContent(message.message);
    if (content.kind !== "body") return [];
    const progress = Number(message.status ?? 0);
    const status = progress >= READ ? "read" : progress >= DELIVERY_ACK ? "delivered" : "sent";
    const events = await this.#again(() => this.#eventsOf(message, content));
    return events.flatMap((event) => (event.kind === "message" ? [{ ...event.message, status }] : []));
  }

  async #takeMessage(message: WAMessage): Promise<void> {
    if (text(message.key.id) === undefined) throw new Error("the message has no id");
    // Before the journal releases it, so that a crash does not lose it.
    await this.#again(() => this.#parts.history.keep(message));
    // Parse errors are thrown here; later steps fail only if the store is unavailable.
    const content = readContent(message.message);
    if (message.messageStubType === CIPHERTEXT && content.kind === "nothing")
      return this.#again(() => this.#unread.add(message));
    for (const kind of unknownIn(message.message))
      await this.#parts.link.reportUnknown(kind, encodeReceived({ kind: "message", message }));
    if (content.kind === "body") this.#remember(message);
    const events = await this.#again(() => this.#eventsOf(message, content));
    this.#deliver(message, events);
  }

  #remember(message: WAMessage): void {
    this.#editable.set(sideOf(message.key) + message.key.id, editableOf(message));
    const [oldest] = this.#editable.keys();
    if (this.#editable.size > REMEMBERED && oldest !== undefined) this.#editable.delete(oldest);
  }

  /**
   * Retries until it succeeds, the channel closes, or the error is a bug, because later items must not overtake it.
   */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#parts.link;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted || error instanceof TypeError || error instanceof RangeError) throw error;
        await sleep(EMIT_AGAIN_MS, undefined, { signal });
      }
    }
  }

  /** Calls `emit` first, so that the calls keep the order of arrival. */
  #deliver(message: WAMessage, events: readonly TransportEvent[]): void {
    const read = this.#unread.take(message.key);
    const stored = Promise.all(events.map((event) => this.#emit(event)));
    stored.then(
      () => this.#written(message, events, read),
      () => undefined,
    );
  }

  async #written(
    message: WAMessage,
    events: readonly TransportEvent[],
    read: VaultEntry | null,
  ): Promise<void> {
    const { journal, recent, link } = this.#parts;
    const entries = [journal.release(message.key), read].filter((entry) => entry !== null);
    if (events.some(({ kind }) => kind === "message")) entries.push(...recentEntry(recent, message));
    if (entries.length > 0 && !link.signal.aborted) await link.vault.write(entries).catch(() => undefined);
  }

  /**
   * Retries until the event is stored or the channel closes; in the latter case the journal emits it at the next
   * start.
   */
  #emit(event: TransportEvent): Promise<void> {
    return this.#again(() => this.#parts.link.emit(event));
  }

  async #eventsOf(message: WAMessage, content: Content): Promise<TransportEvent[]> {
    const { key } = message;
    const chat = await this.#chatOf(key);
    if (chat === null) return [];
    await this.#learnExpiration(message, chat);
    const at = timeOf(message);
    switch (content.kind) {
      case "nothing":
        return [];
      case "edit":
        if (await this.#isForged(key, content)) return [];
        return [{ kind: "edited", ref: { ...chat, externalId: content.externalId }, body: content.body, at }];
      case "sealed edit": {
        const body = await this.#openEdit(message, content.sealed);
        if (body === null) return [];
        return [{ kind: "edited", ref: { ...chat, externalId: content.externalId }, body, at }];
      }
      case "vote": {
        const vote = await this.#openVote(message, content.sealed);
        return vote === null ? [] : this.#eventsOf(message, vote);
      }
      case "removal":
        if (await this.#isForged(key, content)) return [];
        return (await this.#idsOf(key, content.externalId)).map((externalId) => ({
          kind: "deleted",
          ref: { ...chat, externalId },
          at,
        }));
      case "reaction": {
        const ref = { ...chat, externalId: content.externalId };
        const by = key.fromMe === true ? null : await this.#personOf(message, chat);
        return [{ kind: "reaction", ref, emoji: content.emoji, at, ...(by === null ? {} : { by }) }];
      }
      case "body": {
        const { kind: _kind, more = [], ...written } = content;
        const about = await this.#about(message, chat);
        const inbound: InboundMessage = { ...about, ...written };
        const others = more.map((body, index) => ({
          ...about,
          externalId: partId(about.externalId, index),
          body,
        }));
        return [inbound, ...others].map((each) => ({ kind: "message", message: each }));
      }
    }
  }

  /** Before the message is emitted, because a reply may follow at once. */
  async #learnExpiration({ message }: WAMessage, chat: ChatName): Promise<void> {
    const expiration = readExpiration(message);
    if (expiration === null) return;
    const { people } = this.#parts;
    const key = chatKeyOf(chat);
    if (((await people.find(key)).expiration ?? 0) !== expiration) await people.learn(key, { expiration });
  }

  /**
   * Whether an edit or deletion is by someone other than the author. In groups, administrators may delete any
   * message.
   */
  async #isForged(
    key: WAMessage["key"],
    { kind, externalId }: Extract<Content, { kind: "edit" | "removal" }>,
  ): Promise<boolean> {
    const isByAdmin = kind === "removal" && parseJid(key.remoteJid).kind === "group";
    if (key.fromMe === true || isByAdmin) return false;
    const theirs = await this.#findEditable(key, externalId);
    if (theirs !== null) return (await this.#authorOf(theirs.key, key)).length === 0;
    return (await this.#findEditable({ fromMe: true }, externalId)) !== null;
  }

  /** Null if the edited message is no longer known, or has another author. */
  async #openEdit({ key }: WAMessage, sealed: SealedEdit): Promise<MessageBody | null> {
    const original = await this.#findEditable(key, sealed.targetMessageKey?.id ?? "");
    const names = original === null ? [] : await this.#authorOf(original.key, key);
    const edit = original?.secret == null ? null : openEdit(sealed, original.secret, names);
    if (edit === null)
      this.#parts.link.log("info", "WhatsApp: an edit could not be decrypted and is dropped");
    return edit === null ? null : readEdit(edit);
  }

  /**
   * The chosen options, as a reply to the poll; null if there are none. A vote on a poll that is not known says nothing
   * that can be read.
   */
  async #openVote(message: WAMessage, sealed: SealedVote): Promise<Content | null> {
    const { pollId } = sealed;
    const poll =
      (await this.#findEditable({ fromMe: true }, pollId)) ??
      (await this.#findEditable({ fromMe: false }, pollId));
    const [creators, voters] = await Promise.all([this.#namesOf(poll?.key), this.#namesOf(message.key)]);
    const chosen = poll?.secret == null ? null : openVote(sealed, poll.secret, { creators, voters });
    if (poll === null || chosen === null) {
      await this.#parts.link.reportUnknown("pollUpdateMessage", encodeReceived({ kind: "message", message }));
      return null;
    }
    const hashes = new Set(chosen.map((hash) => Buffer.from(hash).toString("hex")));
    const lines = poll.options.filter((name) => hashes.has(sha256(name))).map((name) => `☑ ${name}`);
    if (lines.length === 0) return null;
    const body = { type: "text", text: lines.join("\n") } as const;
    return { kind: "body", body, quoted: { externalId: pollId } };
  }

  /** The addresses of a message's writer. */
  async #namesOf(key: WAMessage["key"] | undefined): Promise<string[]> {
    if (key === undefined) return [];
    return this.#authorOf(key, key);
  }

  /** The ids of a message and of its further files. */
  async #idsOf(change: WAMessage["key"], id: string): Promise<string[]> {
    const { parts = 0 } = (await this.#findEditable(change, id)) ?? {};
    return [id, ...Array.from({ length: parts }, (_, index) => partId(id, index))];
  }

  async #findEditable(edit: WAMessage["key"], id: string): Promise<Editable | null> {
    const { recent } = this.#parts;
    const known = this.#editable.get(sideOf(edit) + id);
    if (known !== undefined) return known;
    const stored = await (edit.fromMe === true ? recent.findOwn(id) : recent.findTheirs(id));
    return stored === undefined ? null : editableOf(stored);
  }

  /** The addresses of the author of both messages; empty if the authors differ. */
  async #authorOf(original: WAMessage["key"], edit: WAMessage["key"]): Promise<string[]> {
    const { people, me } = this.#parts;
    const own = me();
    if (edit.fromMe === true) return namesOf([own.id, own.lid].map(parseJid));
    const [one, other] = await Promise.all(
      [original, edit].map((key) => people.resolve(writerOf(key), alternativeOf(key))),
    );
    if (!isDeepStrictEqual(one, other)) return [];
    const named = [writerOf(original), writerOf(edit), alternativeOf(edit)].map(parseJid);
    return namesOf(one === undefined ? named : [...named, one]);
  }

  #chatOf(key: Addresses): Promise<ChatName | null> {
    const jid = text(isThroughList(key) ? key.participant : key.remoteJid);
    if (jid?.includes("@") !== true) throw new TypeError("the message has no address");
    return this.#again(() => this.#parts.people.chatOf(jid, key.remoteJidAlt));
  }

  /** All fields of a message except its content. */
  async #about(message: WAMessage, chat: ChatName): Promise<Omit<InboundMessage, "body">> {
    const { key } = message;
    const isMine = key.fromMe === true;
    const base = {
      ...chat,
      externalId: key.id ?? "",
      direction: isMine ? ("echo" as const) : ("in" as const),
      sentAt: timeOf(message),
    };
    if (chat.chatType === "whatsgroup") return { ...base, ...(await this.#aboutGroup(message, chat)) };
    const phone = chat.chatId.includes("@") ? {} : { phone: chat.chatId };
    const avatar = pictureOf(chat.chatId.includes("@") ? chat.chatId : `${chat.chatId}@s.whatsapp.net`);
    return { ...base, contact: { name: await this.#nameOf(message, chat.chatId, isMine), ...phone, avatar } };
  }

  async #aboutGroup(
    { key, pushName }: WAMessage,
    chat: ChatName,
  ): Promise<Pick<InboundMessage, "contact" | "sender">> {
    const contact = { name: (await this.#parts.groupName(key.remoteJid ?? "")) || chat.chatId };
    if (key.fromMe === true) return { contact };
    const author = await this.#parts.people.resolve(key.participant, key.participantAlt);
    const id = chatNameOf(author)?.chatId ?? "";
    if (id === "") return { contact };
    return {
      contact,
      sender: { id, name: text(pushName) ?? ((await this.#parts.people.find(id)).name || id) },
    };
  }

  /** The writer, who has a name. */
  async #personOf(message: WAMessage, chat: ChatName): Promise<NonNullable<InboundMessage["sender"]>> {
    if (chat.chatType === "whatsgroup") {
      const { sender } = await this.#aboutGroup(message, chat);
      return sender ?? { id: chat.chatId, name: chat.chatId };
    }
    return { id: chat.chatId, name: await this.#nameOf(message, chat.chatId, false) };
  }

  async #nameOf(message: WAMessage, chatId: string, isMine: boolean): Promise<string> {
    const { people } = this.#parts;
    const name = text(message.pushName);
    if (!isMine) await people.learn(chatId, { isKnown: true, ...(name === undefined ? {} : { name }) });
    return (await people.find(chatId)).name || chatId;
  }

  /**
   * The library has requested a retransmission without success: the chat shows at least that a message exists. If it
   * arrives later, it takes the place of this one.
   */
  async #giveUp(message: WAMessage): Promise<void> {
    if (!this.#unread.has(message.key)) return;
    const events = await this.#again(() => this.#eventsOf(message, UNREADABLE));
    this.#deliver(message, events);
  }

  async #takeUpdates(updates: readonly WAMessageUpdate[]): Promise<void> {
    for (const { key, update } of updates) {
      // A retransmitted message arrives as an update of its placeholder.
      if (update.message != null && this.#unread.has(key))
        await this.#takeMessage({ ...update, key } as WAMessage);
      if (key.fromMe === true) await this.#takeReceipt(key, update);
    }
  }

  async #takeReceipt(key: WAMessageUpdate["key"], update: WAMessageUpdate["update"]): Promise<void> {
    const status = Number(update.status ?? 0);
    const chat = status >= DELIVERY_ACK ? await this.#chatOf(key) : null;
    if (chat === null) return;
    const at = update.messageTimestamp == null ? new Date() : timeOf(update as WAMessage);
    this.#receipt(chat, key.id ?? "", status >= READ ? "read" : "delivered", at);
  }

  /** The first receipt of a group counts for the whole group. Receipts of the account's own devices are ignored. */
  async #takeGroupReceipts(updates: readonly MessageUserReceiptUpdate[]): Promise<void> {
    for (const { key, receipt } of updates) {
      if (this.#isMe(receipt.userJid ?? "")) continue;
      const chat = key.fromMe === true ? await this.#chatOf(key) : null;
      if (chat === null) continue;
      const at = dateFromUnix(Number(receipt.readTimestamp ?? receipt.receiptTimestamp ?? 0));
      this.#receipt(chat, key.id ?? "", receipt.readTimestamp == null ? "delivered" : "read", at);
    }
  }

  #receipt(chat: ChatName, externalId: string, status: "delivered" | "read", at: Date): void {
    const messageId = this.#parts.recent.nameOf(externalId);
    const ref = { ...chat, externalId, ...(messageId === undefined ? {} : { messageId }) };
    this.#emit({ kind: "receipt", ref, status, at }).catch(() => undefined);
  }

  #isMe(jid: string): boolean {
    const { id, lid } = this.#parts.me();
    const caller = JSON.stringify(parseJid(jid));
    return [id, lid].some((own) => own !== undefined && JSON.stringify(parseJid(own)) === caller);
  }

  async #reveal(lid: string, pn: string): Promise<void> {
    const [hidden, phone] = [parseJid(lid), parseJid(pn)];
    if (hidden.kind === "hidden" && phone.kind === "phone")
      await this.#parts.people.reveal(hidden.id, phone.digits);
  }
}

/** The data for validating and decrypting an edit of a message, or a vote. */
interface Editable {
  readonly key: WAMessage["key"];
  readonly secret: Uint8Array | null | undefined;
  /** The number of its further files. */
  readonly parts: number;
  /** Of a poll. */
  readonly options: readonly string[];
}

function sha256(words: string): string {
  return createHash("sha256").update(words).digest("hex");
}

/** The id of a further file of a message, by its index. */
function partId(id: string, index: number): string {
  return `${id}#${index + 2}`;
}

function editableOf({ key, message }: WAMessage): Editable {
  const content = readContent(message);
  const parts = content.kind === "body" ? (content.more?.length ?? 0) : 0;
  const secret = message?.messageContextInfo?.messageSecret;
  return { key, secret, parts, options: optionsOf(message) };
}

/** Empty if the message contains data that the library cannot encode; then it cannot be quoted or edited later. */
function recentEntry(recent: RecentMessages, message: WAMessage): VaultEntry[] {
  try {
    return [recent.entry(message)];
  } catch {
    return [];
  }
}

/** Both sides may use the same id. */
function sideOf({ fromMe }: WAMessage["key"]): string {
  return fromMe === true ? "ours " : "theirs ";
}

/** Unique addresses, without devices. */
function namesOf(addresses: readonly Address[]): string[] {
  return [...new Set(addresses.map(jidOf).filter((jid) => jid !== null))];
}

function writerOf({ participant, remoteJid }: WAMessage["key"]): string | null | undefined {
  return participant || remoteJid;
}

/** In a private chat, the library stores the author's alternative address with the chat. */
function alternativeOf({ participantAlt, remoteJidAlt }: WAMessage["key"]): string | undefined {
  return participantAlt ?? remoteJidAlt;
}

/** The addresses of a chat in a message key. */
interface Addresses {
  readonly remoteJid?: string | null | undefined;
  readonly remoteJidAlt?: string | undefined;
  readonly participant?: string | null | undefined;
  readonly fromMe?: boolean | null | undefined;
}

/**
 * Whether the message was sent through a broadcast list, whose members see it in the chat with the author. A status
 * is not.
 */
function isThroughList({ remoteJid, fromMe }: Addresses): boolean {
  return fromMe !== true && remoteJid !== "status@broadcast" && remoteJid?.endsWith("@broadcast") === true;
}

/** Reads the events of a stanza. */
type ReadNews = () => Promise<readonly TransportEvent[]>;

/** The content is sent only to the phone; linked devices are only notified of the message. */
function tellsOfWithheld({ tag, content }: BinaryNode): boolean {
  const parts = tag === "message" && Array.isArray(content) ? content : [];
  const type = parts.find((part) => part.tag === "unavailable")?.attrs["type"];
  return type === "view_once" || type === "view_once_unavailable_fanout";
}

/** The library creates a message for one of the two stanza types. */
function isWithheld({ key, message }: WAMessage): boolean {
  return key.isViewOnce === true && message == null;
}

const WITHHELD: Content = { kind: "body", body: { type: "unsupported", what: "view once" } };
const UNREADABLE: Content = {
  kind: "body",
  body: { type: "unsupported", what: "a message that could not be decrypted", isAwaited: true },
};

function timeOf({ messageTimestamp }: Pick<WAMessage, "messageTimestamp">): Date {
  return dateFromUnix(Number(messageTimestamp ?? 0));
}
