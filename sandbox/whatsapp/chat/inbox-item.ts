/** A message received by a person's phone, with the result. */
export interface InboxItem {
  readonly at: string;
  readonly message_id: string;
  /** The author, and the device it was written on. */
  readonly from: string;
  readonly device: number;
  /** The conversation: a phone number or a group's id. */
  readonly chat: string;
  /** `text`, `image`, …, or `edit`, `deletion`, `reaction`, `poll_vote`, `protocol`. */
  readonly kind: string;
  readonly text: string | null;
  /** The message that an edit, deletion or reaction refers to. */
  readonly target_id: string | null;
  readonly quoted_id: string | null;
  /** The form of encryption; null for messages written on the phone itself. */
  readonly encryption: "pkmsg" | "msg" | "skmsg" | null;
  /** It arrived for the second time, and is shown once. */
  readonly duplicate: boolean;
  /** Why the phone shows nothing: it could not be decrypted, the edit was too late, ... */
  readonly problem: string | null;
  /** The decrypted message as JSON in WhatsApp's schema; null if it could not be decrypted. */
  readonly message: unknown;
}
