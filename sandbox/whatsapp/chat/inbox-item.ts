/** What a person's phone got and made of it. */
export interface InboxItem {
  readonly at: string;
  readonly message_id: string;
  /** Who wrote, and with which of their devices. */
  readonly from: string;
  readonly device: number;
  /** The conversation: a phone number or a group's id. */
  readonly chat: string;
  /** `text`, `image`, …, or `edit`, `deletion`, `reaction`, `poll_vote`, `protocol`. */
  readonly kind: string;
  readonly text: string | null;
  /** The message that an edit, deletion or reaction is about. */
  readonly target_id: string | null;
  readonly quoted_id: string | null;
  /** Which form of encryption it came in; null for what the phone itself wrote. */
  readonly encryption: "pkmsg" | "msg" | "skmsg" | null;
  /** It came for the second time, and is shown once. */
  readonly duplicate: boolean;
  /** Why the phone shows nothing: it could not be decrypted, the edit came too late, ... */
  readonly problem: string | null;
  /** The decrypted message of WhatsApp's schema as JSON; null when it could not be decrypted. */
  readonly message: unknown;
}
