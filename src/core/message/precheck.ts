import { type Attachment, MAX_FILE_BYTES, mediaKindOf, mimeTypeOf, UNKNOWN_FORMAT } from "../content.ts";
import type { MessageError } from "../payload/facts.ts";
import type { Capabilities, MediaKind, TransportDefinition } from "../transport/definition.ts";
import type { SendJob } from "./send-jobs.ts";

/**
 * The error of a job that the transport's definition alone rules out, without a network call. Pure; null if there is
 * none.
 */
export function precheck(definition: TransportDefinition, job: SendJob): MessageError | null {
  const { capabilities, label } = definition;
  const { attachment, recipient } = job.content;
  const { maxLength } = capabilities.text;
  if (job.text !== null && job.text.length > maxLength) {
    return { code: "TOO_LONG_TEXT", description: `${label} takes texts of at most ${maxLength} characters` };
  }
  if (job.isQuotedDeleted)
    return { code: "CANNOT_REPLY_TO_DELETED", description: "The quoted message was deleted" };
  if (job.quotedPost !== null && attachment !== undefined)
    return { code: "COMMENT_CAN_BE_TEXT_ONLY", description: "A comment can be answered with text only" };
  const late = findLateness(capabilities, job);
  if (late !== null) return late;
  const faulty = attachment === undefined ? null : findAttachmentFault(definition, attachment);
  if (faulty !== null) return faulty;
  if (recipient === undefined || recipient.chatId !== undefined) return null;
  const reachable =
    (recipient.username !== undefined && capabilities.addressBy.includes("username")) ||
    (recipient.phone !== undefined && capabilities.addressBy.includes("phone"));
  if (reachable) return null;
  return {
    code: "BAD_CONTACT",
    description: "This person is not known here: nobody with this username or phone has written yet",
  };
}

/** What the capabilities rule out about a file of this kind and size in bytes, as far as these are known. Pure. */
export function findFileFault(
  { capabilities: { media }, label }: TransportDefinition,
  { kind, size = 0 }: { readonly kind: MediaKind | null; readonly size?: number },
): MessageError | null {
  if (size > MAX_FILE_BYTES) return { code: "TOO_BIG_CONTENT", description: "The file is larger than 50 MB" };
  if (kind === null) return null;
  const limits = media[kind];
  if (limits === undefined)
    return { code: "CONTENT_CONVERSION_ERROR", description: `${label} takes no files of the kind "${kind}"` };
  if (size <= limits.maxBytes) return null;
  const megabytes = Math.floor(limits.maxBytes / 1024 / 1024);
  return {
    code: "TOO_BIG_CONTENT",
    description: `${label} takes files of the kind "${kind}" of at most ${megabytes} MB`,
  };
}

/** If the kind of a file is unknown, only its size is checked until it is fetched. */
function findAttachmentFault(definition: TransportDefinition, attachment: Attachment): MessageError | null {
  const kind = mimeTypeOf(attachment) === UNKNOWN_FORMAT ? null : mediaKindOf(attachment);
  const { size } = attachment;
  return findFileFault(definition, { kind, ...(size === undefined ? {} : { size }) });
}

/**
 * A person who never wrote here may have written elsewhere, so the messenger decides. Comments can always be
 * answered.
 */
function findLateness(
  { replyWindow, templates }: Capabilities,
  { content, quietMs, quotedPost }: SendJob,
): MessageError | null {
  if (replyWindow === undefined || quietMs === null || quietMs <= replyWindow.ms) return null;
  if (content.template !== undefined || quotedPost !== null) return null;
  const rest = templates ? "; only a template can be sent" : "";
  return { code: replyWindow.code, description: `The person has not written for too long${rest}` };
}
