import { randomBytes } from "node:crypto";
import { chatOffset, type Keyboard, type Message } from "../shape.ts";

/** A conversation of the community with one person or in a chat. */
export class Dialog {
  readonly peerId: number;
  /** The person allows messages: by writing first, or with a button on VK. */
  allowed = false;
  /** The person is on the community's blacklist. */
  banned = false;
  /** The keyboard under the input field of people who write to the community. */
  keyboard: Keyboard | undefined;
  lastCmid = 0;
  /** The community's last message that the person has read, and vice versa. */
  outRead = 0;
  inRead = 0;
  readonly #keep: number;
  readonly #messages = new Map<number, Message>();
  readonly #reactions = new Map<number, Map<number, number>>();

  constructor(peerId: number, keep: number) {
    this.peerId = peerId;
    this.#keep = keep;
  }

  get isChat(): boolean {
    return this.peerId > chatOffset;
  }

  nextCmid(): number {
    this.lastCmid++;
    return this.lastCmid;
  }

  /** Stores a message, or its changed version. */
  put(message: Message): void {
    this.#messages.set(message.conversation_message_id, message);
    if (this.#messages.size <= this.#keep) return;
    const [oldest] = this.#messages.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  get(cmid: number): Message | undefined {
    return this.#messages.get(cmid);
  }

  byId(id: number): Message | undefined {
    return this.newest().find((message) => message.id === id);
  }

  /** The numbers of the reactions to a message, by those who chose them; communities have negative ids. */
  reactionsTo(cmid: number): Map<number, number> {
    const known = this.#reactions.get(cmid) ?? new Map<number, number>();
    if (this.#messages.has(cmid)) this.#reactions.set(cmid, known);
    return known;
  }

  delete(cmid: number): boolean {
    this.#reactions.delete(cmid);
    return this.#messages.delete(cmid);
  }

  /** Newest first. */
  newest(): Message[] {
    return [...this.#messages.values()].reverse();
  }
}

/** A chat of people and the community. */
export class Chat extends Dialog {
  title: string;
  /** The address of its picture. */
  photo: string | undefined;
  /** By this people join. */
  readonly link: string;
  /** A person, or a community (negative). */
  readonly ownerId: number;
  /** People; the community itself is not among them. */
  readonly members = new Set<number>();
  /** Besides the owner; a community is negative. */
  readonly admins = new Set<number>();
  /** False after the community was removed. */
  isMember = true;

  constructor(peerId: number, keep: number, setup: { title: string; ownerId: number }) {
    super(peerId, keep);
    this.title = setup.title;
    this.ownerId = setup.ownerId;
    this.allowed = true;
    this.link = `https://vk.me/join/${randomBytes(16).toString("base64url")}`;
  }

  /** Whether a member may change the chat. */
  isAdmin(id: number): boolean {
    return id === this.ownerId || this.admins.has(id);
  }

  isRunBy(groupId: number): boolean {
    return this.isAdmin(-groupId);
  }
}
