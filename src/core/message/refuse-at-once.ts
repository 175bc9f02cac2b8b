import { declaredSize } from "../../platform/file/download.ts";
import { createGuardedDispatcher } from "../../platform/network/safe-fetch.ts";
import type { Base } from "../base.ts";
import type { Channel } from "../channel/channel.ts";
import { type Attachment, MAX_FILE_BYTES, mediaKindOf, mimeTypeOf, UNKNOWN_FORMAT } from "../content.ts";
import { AppError } from "../errors.ts";
import type { TransportDefinition } from "../transport/definition.ts";
import { definitionOf } from "../transport/registry.ts";

/** How long a request waits for a file's host to report its size. */
const SIZE_TIMEOUT_MS = 3_000;

/** The content to send, as far as a channel's capabilities restrict it. */
interface Content {
  readonly text?: string;
  readonly attachment?: Attachment;
  readonly hasButtons?: boolean;
}

/**
 * Throws AppError for errors that v2 reports by webhook although they are known before the message is accepted: a
 * rejected channel, a text above the messenger's limit, a file of an unsupported kind, or one that is too big
 * according to its stated size or its host.
 */
export async function refuseAtOnce(
  core: Pick<Base, "transports" | "settings">,
  channel: Channel,
  content: Content,
): Promise<void> {
  refuseRejected(channel);
  await refuseContent(core, definitionOf(core.transports, channel.transport), content);
}

/** The same for what the definition says of the content, which an edit may not exceed either. */
export async function refuseContent(
  core: Pick<Base, "settings">,
  definition: TransportDefinition,
  { text, attachment, hasButtons = false }: Content,
): Promise<void> {
  const { capabilities } = definition;
  const withButtons = hasButtons ? capabilities.withButtons?.maxTextLength : undefined;
  const maxLength = Math.min(capabilities.text.maxLength, withButtons ?? Number.POSITIVE_INFINITY);
  if (text !== undefined && text.length > maxLength)
    throw new AppError("MESSAGE_TEXT_TOO_LONG", { data: { maxLength } });
  if (attachment !== undefined) await refuseFile(core, definition, attachment);
}

export function refuseRejected({ reason }: Channel): void {
  if (reason === "rejected") throw new AppError("CHANNEL_WAPI_REJECTED");
}

/** If the kind of a file is unknown, only its size is checked until it is fetched. */
async function refuseFile(
  core: Pick<Base, "settings">,
  definition: TransportDefinition,
  attachment: Attachment,
): Promise<void> {
  const kind = mimeTypeOf(attachment) === UNKNOWN_FORMAT ? null : mediaKindOf(attachment);
  const { media } = definition.capabilities;
  if (kind !== null && media[kind] === undefined)
    throw new AppError("MESSAGE_CONTENT_NOT_SUPPORTED", {
      data: { kind, supported: Object.keys(media) },
    });
  const maxBytes = Math.min(MAX_FILE_BYTES, kind === null ? MAX_FILE_BYTES : (media[kind]?.maxBytes ?? 0));
  await refuseTooBig(core, attachment, maxBytes);
}

/** If the host does not respond in time or reports no size, the size is checked again when the file is sent. */
async function refuseTooBig(
  { settings }: Pick<Base, "settings">,
  { url, fileId, size: stated = 0 }: Attachment,
  maxBytes = MAX_FILE_BYTES,
): Promise<void> {
  if (fileId !== undefined) return refuseSize(stated, maxBytes);
  const dispatcher = createGuardedDispatcher({ allowNetworks: settings.allowNetworks });
  try {
    const size = await declaredSize({ url, dispatcher, timeoutMs: SIZE_TIMEOUT_MS });
    refuseSize(size ?? 0, maxBytes);
  } finally {
    await dispatcher.destroy();
  }
}

function refuseSize(size: number, maxBytes: number): void {
  if (size > maxBytes) throw new AppError("MESSAGES_CONTENT_SIZE_EXCEEDED", { data: { size, maxBytes } });
}
