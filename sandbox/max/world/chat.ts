import type { Attach } from "../attach/attach.ts";

/** A run of formatted text, in UTF-16 units. */
export interface Element {
  readonly type: string;
  readonly from: number;
  readonly length: number;
  readonly entityId?: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** The message that a message replies to or forwards. */
export interface Link {
  readonly type: "REPLY" | "FORWARD";
  readonly chatId: number;
  readonly messageId: bigint;
}

/** A message as seen by all members of the chat. */
export interface Message {
  readonly id: bigint;
  /** Unix milliseconds; grows within a chat. */
  readonly time: number;
  readonly sender: number;
  readonly cid: number | undefined;
  text: string;
  elements: readonly Element[];
  attaches: readonly Attach[];
  readonly link: Link | undefined;
  status: "EDITED" | "REMOVED" | undefined;
  updateTime: number | undefined;
  /** People who deleted it for themselves. */
  readonly hiddenFor: Set<number>;
  /** Emoji by person. */
  readonly reactions: Map<number, string>;
}

/** A person's part in a chat. */
export interface Participant {
  /** Read up to this time. */
  mark: number;
  readonly joinedMs: number;
}

export type ChatType = "DIALOG" | "CHAT";

/** A dialogue, a group, or a person's notes to themselves (id 0). */
export class Chat {
  readonly id: number;
  readonly type: ChatType;
  readonly createdMs: number;
  readonly owner: number;
  title: string | undefined;
  description: string | undefined;
  link: string | undefined;
  photoToken: string | undefined;
  modifiedMs: number;
  readonly participants = new Map<number, Participant>();
  readonly admins = new Set<number>();
  /** Oldest first. */
  readonly messages: Message[] = [];
  readonly #byId = new Map<bigint, Message>();
  readonly #byCid = new Map<string, Message>();

  constructor(setup: {
    id: number;
    type: ChatType;
    owner: number;
    title?: string | undefined;
    nowMs: number;
  }) {
    this.id = setup.id;
    this.type = setup.type;
    this.owner = setup.owner;
    this.title = setup.title;
    this.createdMs = setup.nowMs;
    this.modifiedMs = setup.nowMs;
  }

  /** The key in the world's map: every person has a chat 0. */
  get key(): string {
    return this.id === 0 ? `0:${this.owner}` : String(this.id);
  }

  get lastEventTime(): number {
    return this.messages.at(-1)?.time ?? this.createdMs;
  }

  join(id: number, nowMs: number): void {
    this.participants.set(id, { mark: nowMs, joinedMs: nowMs });
  }

  add(message: Message): void {
    this.messages.push(message);
    this.#byId.set(message.id, message);
    if (message.cid !== undefined) this.#byCid.set(`${message.sender}:${message.cid}`, message);
  }

  /** The message that this person sent with the client's number `cid`. */
  sentAs(sender: number, cid: number): Message | undefined {
    return this.#byCid.get(`${sender}:${cid}`);
  }

  message(id: bigint): Message | undefined {
    return this.#byId.get(id);
  }

  /** How many messages of others a participant has not read. */
  unread(id: number): number {
    const mark = this.participants.get(id)?.mark ?? 0;
    let count = 0;
    for (let at = this.messages.length - 1; at >= 0; at--) {
      const message = this.messages[at];
      if (!message || message.time <= mark) break;
      if (message.sender !== id && message.status !== "REMOVED") count++;
    }
    return count;
  }

  /** Index of the first message later than `time`. */
  indexAfter(time: number): number {
    let [low, high] = [0, this.messages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.messages[middle]?.time ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The number of the dialogue of two people. */
export function dialogId(one: number, other: number): number {
  return Number(BigInt(one) ^ BigInt(other));
}
