import type { OutgoingContent } from "../content.ts";
import { AppError } from "../errors.ts";
import type { Capabilities } from "../transport/definition.ts";
import type { MessageStatus } from "../transport/message.ts";

/** The columns of `messages` that decide whether a message may still be changed. */
export interface SentMessage {
  readonly status: MessageStatus;
  readonly content: OutgoingContent | null;
  readonly sent_at: Date;
  readonly delivered_at: Date | null;
  readonly deleted_at: Date | null;
}

/** The window of the interface, counted from delivery. */
const EDIT_WINDOW_MS = 15 * 60_000;

/**
 * Throws AppError if the message cannot, or can no longer, be edited like that; limits of the content are not checked
 * here. Pure.
 */
export function checkEditable(
  { edit, receipts }: Capabilities,
  message: SentMessage,
  request: { readonly text?: string; readonly attachment?: object },
  now: Date,
): void {
  if (edit === null) throw new AppError("CHANNEL_INVALID_TRANSPORT_FOR_EDITING");
  if (request.attachment !== undefined && !edit.parts.includes("attachment"))
    throw new AppError("CHANNEL_INVALID_TRANSPORT_FOR_CONTENT_EDITING");
  checkChangeable(message);
  const { keyboard } = message.content ?? {};
  // Removing a keyboard adds no buttons to the message.
  const isEditable =
    keyboard === undefined || (keyboard.kind === "remove" && edit.refusesKeyboardRemovals !== true);
  if (!isEditable) throw new AppError("MESSAGES_CONTAIN_BUTTONS");
  const end = editEndOf({ edit, receipts }, message);
  if (end !== null && now > end) throw new AppError("MESSAGES_EDITING_TIME_EXPIRED");
}

/** When editing ends. Null: not known yet, or never. Pure. */
export function editEndOf(
  { edit, receipts }: Pick<Capabilities, "edit" | "receipts">,
  { delivered_at, sent_at }: Pick<SentMessage, "delivered_at" | "sent_at">,
): Date | null {
  // Where only reading is reported, `delivered_at` is the time of reading.
  const opened = receipts.includes("delivered") ? delivered_at : sent_at;
  const ends = [
    ...(opened === null ? [] : [opened.getTime() + EDIT_WINDOW_MS]),
    ...(edit?.windowMs == null ? [] : [sent_at.getTime() + edit.windowMs]),
  ];
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

/** Throws AppError if the message cannot, or can no longer, be removed. Pure. */
export function checkRemovable({ remove }: Capabilities, message: SentMessage, now: Date): void {
  if (remove === null) throw new AppError("CHANNEL_INVALID_TRANSPORT_FOR_DELETION");
  checkChangeable(message);
  if (isOver(message.sent_at, remove.windowMs, now)) throw new AppError("MESSAGES_DELETION_TIME_EXPIRED");
}

function checkChangeable(message: SentMessage): void {
  if (message.deleted_at !== null) throw new AppError("MESSAGES_ALREADY_DELETED");
  if (message.status === "queued" || message.status === "error") throw new AppError("MESSAGES_NOT_SENT");
}

/** A window that has not opened, or has no end, is never over. */
function isOver(opened: Date | null, windowMs: number | null, now: Date): boolean {
  return opened !== null && windowMs !== null && now.getTime() - opened.getTime() > windowMs;
}
