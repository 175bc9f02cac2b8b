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
  readonly reactions?: readonly object[];
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
}

/** Ids of chats are above this. */
export const chatOffset = 2_000_000_000;

/** The fields of a quoted message. */
export function quotable(message: Message): ForeignMessage {
  const { id, date, from_id, peer_id, conversation_message_id, text, attachments } = message;
  return { id, date, from_id, peer_id, conversation_message_id, text, attachments };
}
