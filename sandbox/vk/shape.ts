/** An attachment in a message: the object is in the field named like the type. */
export interface Attachment {
  readonly type: string;
  readonly [object: string]: unknown;
}

/** https://dev.vk.com/ru/api/bots/development/keyboard */
export interface Button {
  readonly action: {
    readonly type: string;
    readonly label?: string;
    readonly payload?: string;
    readonly link?: string;
    readonly [field: string]: unknown;
  };
  readonly color?: string;
}

export interface Keyboard {
  readonly one_time: boolean;
  readonly inline: boolean;
  readonly author_id: number;
  readonly buttons: readonly (readonly Button[])[];
}

/** A message inside another: quoted or forwarded. */
export interface ForeignMessage {
  readonly id?: number;
  readonly date: number;
  readonly from_id: number;
  readonly peer_id?: number;
  readonly conversation_message_id: number;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly fwd_messages?: readonly ForeignMessage[];
  readonly reply_message?: ForeignMessage;
  readonly is_cropped?: boolean;
}

/** A message in responses and events: https://dev.vk.com/ru/reference/objects/message */
export interface Message {
  /** Unique in the community; 0 in chats. */
  readonly id: number;
  readonly date: number;
  readonly peer_id: number;
  readonly from_id: number;
  readonly out: 0 | 1;
  readonly version: number;
  /** Unique in the conversation. */
  readonly conversation_message_id: number;
  readonly random_id: number;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly fwd_messages: readonly ForeignMessage[];
  readonly important: boolean;
  readonly is_hidden: boolean;
  readonly reply_message?: ForeignMessage;
  readonly payload?: string;
  readonly keyboard?: Keyboard;
  readonly geo?: Geo;
  readonly ref?: string;
  readonly ref_source?: string;
  readonly action?: Readonly<Record<string, unknown>>;
  readonly update_time?: number;
  /** The administrator who wrote it on VK's own page. */
  readonly admin_author_id?: number;
  readonly reactions?: readonly {
    readonly reaction_id: number;
    readonly count: number;
    readonly user_ids: readonly number[];
  }[];
  /** The community's own. */
  readonly reaction_id?: number;
  readonly last_reaction_id?: number;
  /** In events only: some of its content is left out. */
  readonly is_cropped?: boolean;
}

export interface Geo {
  readonly type: "point";
  readonly coordinates: { readonly latitude: number; readonly longitude: number };
  readonly place?: Readonly<Record<string, unknown>>;
}

/** A person on VK. */
export interface User {
  readonly id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly screen_name: string;
  readonly deactivated?: "deleted" | "banned";
  /** Does not allow to be added to chats. */
  readonly refuses_chats?: boolean;
}

/** Ids of chats are above this. */
export const chatOffset = 2_000_000_000;

/** The fields of a quoted message, with the messages that it forwards. */
export function quotable(message: Message): ForeignMessage {
  const { id, date, from_id, peer_id, conversation_message_id, text, attachments, fwd_messages } = message;
  const forwarded = fwd_messages.length > 0 && { fwd_messages };
  return { id, date, from_id, peer_id, conversation_message_id, text, attachments, ...forwarded };
}

/**
 * The message as an event reports it. VK crops messages for bots (https://dev.vk.com/ru/reference/objects/message,
 * `is_cropped`) and does not publish what it leaves out: here, what a forwarded message holds beside its words, and all
 * attachments but the first. The whole message is returned by `messages.getByConversationMessageId`.
 */
export function cropped(message: Message): Message {
  const isBare = ({ attachments, fwd_messages = [] }: ForeignMessage) =>
    attachments.length === 0 && fwd_messages.length === 0;
  if (message.attachments.length <= 1 && message.fwd_messages.every(isBare)) return message;
  const bare = (each: ForeignMessage): ForeignMessage => {
    const { fwd_messages: _inner, ...rest } = each;
    return isBare(each) ? each : { ...rest, attachments: [], is_cropped: true };
  };
  const attachments = message.attachments.slice(0, 1);
  return { ...message, attachments, fwd_messages: message.fwd_messages.map(bare), is_cropped: true };
}
