/**
 * The objects of the Telegram Bot API that the emulator returns, with the fields of
 * https://core.telegram.org/bots/api#available-types that it supports.
 */

export interface User {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
  readonly language_code?: string;
}

type ChatType = "private" | "group" | "supergroup";

export interface ChatShape {
  readonly id: number;
  readonly type: ChatType;
  readonly title?: string;
  readonly username?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly is_forum?: boolean;
}

export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: User;
  readonly custom_emoji_id?: string;
}

export interface PhotoSize {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size: number;
  readonly width: number;
  readonly height: number;
}

/** Video, audio, voice, document, animation, video note or sticker; the fields depend on the kind. */
export interface MediaShape {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size: number;
  readonly [field: string]: unknown;
}

export interface InlineButton {
  readonly text: string;
  readonly url?: string;
  readonly callback_data?: string;
  readonly [action: string]: unknown;
}

export interface InlineKeyboard {
  readonly inline_keyboard: readonly (readonly InlineButton[])[];
}

interface Contact {
  readonly phone_number: string;
  readonly first_name: string;
  readonly last_name?: string;
  readonly user_id?: number;
  readonly vcard?: string;
}

export interface Location {
  readonly latitude: number;
  readonly longitude: number;
  readonly [field: string]: unknown;
}

/** The content of a message; exactly one kind is present. */
export interface Content {
  readonly text?: string;
  readonly entities?: readonly Entity[];
  readonly caption?: string;
  readonly caption_entities?: readonly Entity[];
  readonly photo?: readonly PhotoSize[];
  readonly video?: MediaShape;
  readonly audio?: MediaShape;
  readonly voice?: MediaShape;
  readonly document?: MediaShape;
  readonly animation?: MediaShape;
  readonly video_note?: MediaShape;
  readonly sticker?: MediaShape;
  readonly contact?: Contact;
  readonly location?: Location;
  readonly venue?: Readonly<Record<string, unknown>>;
  readonly poll?: Readonly<Record<string, unknown>>;
  readonly dice?: { readonly emoji: string; readonly value: number };
  readonly media_group_id?: string;
  readonly has_media_spoiler?: boolean;
  readonly show_caption_above_media?: boolean;
  readonly forward_origin?: Readonly<Record<string, unknown>>;
  readonly link_preview_options?: Readonly<Record<string, unknown>>;
}

export interface Message extends Content {
  readonly message_id: number;
  readonly date: number;
  readonly chat: ChatShape;
  readonly from?: User;
  readonly edit_date?: number;
  readonly reply_to_message?: Message;
  readonly quote?: Readonly<Record<string, unknown>>;
  readonly reply_markup?: InlineKeyboard;
  readonly has_protected_content?: boolean;
  readonly new_chat_members?: readonly User[];
  readonly left_chat_member?: User;
  readonly new_chat_title?: string;
  readonly new_chat_photo?: readonly PhotoSize[];
  readonly delete_chat_photo?: boolean;
  readonly group_chat_created?: boolean;
  readonly migrate_to_chat_id?: number;
  readonly migrate_from_chat_id?: number;
  readonly message_thread_id?: number;
  readonly is_topic_message?: boolean;
  readonly forum_topic_created?: { readonly name: string; readonly icon_color: number };
  readonly forum_topic_closed?: Readonly<Record<string, never>>;
  readonly forum_topic_reopened?: Readonly<Record<string, never>>;
}

/** An update without its id, for example `{message: {...}}`: exactly one field is present. */
export type UpdateBody = Readonly<Record<string, unknown>>;

/** A text without its markup, with the resulting entities. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}
