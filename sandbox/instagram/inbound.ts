import type { Account } from "./account/account.ts";
import { type Attachment, type Conversation, newMid, type StoredMessage } from "./account/conversation.ts";
import { announce, envelope } from "./callback/announce.ts";
import type { World } from "./world.ts";

/** The place of an action: the world, the account, and its conversation with a person. */
export interface Seat {
  readonly world: World;
  readonly account: Account;
  readonly conversation: Conversation;
}

/** The content of a person's message. */
export interface Words {
  readonly text?: string;
  readonly attachments?: readonly Attachment[];
  readonly replyTo?: Readonly<Record<string, unknown>>;
  /** Fields besides the text: `quick_reply`, `referral`, `is_unsupported`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A written message, and the number of addresses it was reported to. */
export interface Written {
  readonly message: Readonly<Record<string, unknown>>;
  readonly callbacks: number;
}

/** A person writes. Opens the 24-hour window. */
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
    ownReaction: undefined,
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
  const callbacks = tell(seat, "messages", { message });
  if (world.settings.announceEdits)
    tell(seat, "message_edit", { message_edit: { mid: stored.mid, num_edit: 0 } });
  return { message, callbacks };
}

/** The person acts: the window opens, and the thread reappears. */
export function touch({ world, conversation }: Seat): void {
  conversation.lastInboundMs = world.clock.nowMs();
  conversation.deleted = false;
  world.changed();
}

/** Reports the person's action. */
export function tell(seat: Seat, field: string, part: Readonly<Record<string, unknown>>): number {
  const { world, account, conversation } = seat;
  const messaging = { ...envelope(world, account, conversation, "person"), ...part };
  return announce(world, account, conversation.igsid, { field, messaging });
}
