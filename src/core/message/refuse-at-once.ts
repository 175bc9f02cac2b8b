import { announcedSize } from "../../platform/download.ts";
import { createGuardedDispatcher } from "../../platform/safe-fetch.ts";
import type { Channel } from "../channel/channel.ts";
import type { Core } from "../core.ts";
import { AppError } from "../errors.ts";
import { definitionOf } from "../transport/registry.ts";
import { MAX_FILE_BYTES } from "./content.ts";

/** How long a request waits for a file's host to tell its size. */
const SIZE_TIMEOUT_MS = 3_000;

/**
 * Throws AppError for what v2 reports by webhook although it can be known before the message is accepted: a rejected
 * channel, a text above the messenger's limit, a file whose host says that it is too big.
 */
export async function refuseAtOnce(
  core: Pick<Core, "transports" | "settings">,
  channel: Channel,
  { text, attachment }: { readonly text?: string; readonly attachment?: { readonly url: string } },
): Promise<void> {
  refuseRejected(channel);
  const { maxLength } = definitionOf(core.transports, channel.transport).capabilities.text;
  if (text !== undefined && text.length > maxLength)
    throw new AppError("MESSAGE_TEXT_TOO_LONG", { data: { maxLength } });
  if (attachment !== undefined) await refuseTooBig(core, attachment.url);
}

export function refuseRejected({ reason }: Channel): void {
  if (reason === "rejected") throw new AppError("CHANNEL_WAPI_REJECTED");
}

/** A host that does not answer in time, or does not tell, is asked again when the file is sent. */
export async function refuseTooBig({ settings }: Pick<Core, "settings">, url: string): Promise<void> {
  const dispatcher = createGuardedDispatcher({ allowNetworks: settings.allowNetworks });
  try {
    const size = await announcedSize({ url, dispatcher, timeoutMs: SIZE_TIMEOUT_MS });
    if (size !== null && size > MAX_FILE_BYTES)
      throw new AppError("MESSAGES_CONTENT_SIZE_EXCEEDED", { data: { size, maxBytes: MAX_FILE_BYTES } });
  } finally {
    await dispatcher.destroy();
  }
}
