import type { OutgoingContent } from "../content.ts";
import type { MessageType } from "../transport/message.ts";

/** A complete outgoing message, to be stored together with its send job. */
export interface AcceptedMessage {
  readonly account_id: number;
  readonly id: string;
  readonly channel_id: string;
  readonly chat: string;
  readonly chat_type: string;
  readonly chat_id: string;
  readonly chat_name: string;
  readonly new_chat: boolean;
  readonly type: MessageType;
  readonly text: string | null;
  readonly content: OutgoingContent;
  readonly quoted_id: string | null;
  readonly author_id: string | null;
  /** Set for messages that an employee wrote on the chat page; null for messages of API clients. */
  readonly author_name: string | null;
  readonly crm_message_id: string | null;
}
