import type { Account } from "./account.ts";
import { announce, envelope } from "./announce.ts";
import { type Attachment, type Conversation, newMid, type StoredMessage } from "./conversation.ts";
import type { World } from "./world.ts";

/** Where somebody acts: the world, the account, and their conversation with it. */
export interface Seat {
  readonly world: World;
  readonly account: Account;
  readonly conversation: Conversation;
}

/** What a person says. */
export interface Words {
  readonly text?: string;
  readonly attachments?: readonly Attachment[];
  readonly replyTo?: Readonly<Record<string, unknown>>;
  /** Beside the text: `quick_reply`, `referral`, `is_unsupported`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A message that was written, and how many addresses were told. */
export interface Written {
  readonly message: Readonly<Record<string, unknown>>;
  readonly callbacks: number;
}

/** A person writes. Opens the window of 24 hours. */
export function receive(seat: Seat, words: Words): Written {
  const { world, conversation } = seat;
  const { text, attachments = [], replyTo, extra } = words;
  const stored: StoredMessage = {
    mid: newMid(),
    direction: "in",
    atMs: world.clock.nowMs(),
    text,
    attachments,
    buttons: [],
    ...(replyTo && { replyTo }),
    edits: 0,
    unsent: false,
    reaction: undefined,
    seen: false,
  };
  conversation.put(stored);
  touch(seat);
  const message = {
    mid: stored.mid,
    ...(text !== undefined && { text }),
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo && { reply_to: replyTo }),
    ...extra,
  };
  return { message, callbacks: tell(seat, "messages", { message }) };
}

/** The person did something: the window opens, the thread is there again. */
export function touch({ world, conversation }: Seat): void {
  conversation.lastInboundMs = world.clock.nowMs();
  conversation.deleted = false;
  world.changed();
}

/** Reports what the person did. */
export function tell(seat: Seat, field: string, part: Readonly<Record<string, unknown>>): number {
  const { world, account, conversation } = seat;
  const messaging = { ...envelope(world, account, conversation, "person"), ...part };
  return announce(world, account, conversation.igsid, { field, messaging });
}
