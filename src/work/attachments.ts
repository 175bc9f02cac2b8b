import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { type Attachment, MAX_FILE_BYTES, mediaKindOf, mimeTypeOf } from "../core/content.ts";
import type { MessageError } from "../core/payload/facts.ts";
import type { OutboundFile } from "../core/transport/connector.ts";
import {
  DownloadFailed,
  DownloadMismatch,
  DownloadTooBig,
  downloadToDisk,
} from "../platform/file/download.ts";
import type { FileStore } from "../platform/file/files.ts";
import { isAllowedUrl } from "../platform/network/safe-fetch.ts";

const TIMEOUT_MS = 10 * 60_000;

/** A file fetched for one send; `discard` removes it from disk. */
export interface PreparedFile {
  readonly file: OutboundFile;
  /** Where it is on this disk; absent: in the store. */
  readonly path?: string;
  discard(): Promise<void>;
}

export type Preparation =
  | { readonly kind: "ready"; readonly prepared: PreparedFile }
  | { readonly kind: "refused"; readonly error: MessageError }
  /** The file's host failed; a later attempt may succeed. */
  | { readonly kind: "later"; readonly reason: string };

/**
 * Fetches an attachment to disk through the guard, checking size and hash as far as the client stated them. Throws
 * failures that are not caused by the file or its host, such as `DiskFull`.
 */
export async function prepareAttachment(
  attachment: Attachment,
  options: {
    readonly dispatcher: Dispatcher;
    readonly directory: string;
    readonly signal: AbortSignal;
    readonly files: FileStore;
    /** Default: the interface's limit. */
    readonly maxBytes?: number;
    /** Stores a copy under a public address, which it returns. */
    offer(file: {
      readonly name: string;
      readonly mimeType: string;
      readonly content: Readable;
    }): Promise<string>;
  },
): Promise<Preparation> {
  if (attachment.fileId !== undefined) return ownFile(options.files, attachment, attachment.fileId);
  const { maxBytes = MAX_FILE_BYTES } = options;
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  try {
    const { size, sha1 } = attachment;
    const downloaded = await downloadToDisk({
      url: attachment.url,
      dispatcher: options.dispatcher,
      directory: options.directory,
      maxBytes,
      expected: { ...(size === undefined ? {} : { size }), ...(sha1 === undefined ? {} : { sha1 }) },
      signal: options.signal,
      timeoutMs: TIMEOUT_MS,
    });
    const name = attachment.name ?? downloaded.name ?? "file";
    const stated = attachment.mimeType ?? downloaded.mimeType;
    const mimeType = mimeTypeOf({ mimeType: stated, name, url: attachment.url });
    const file: OutboundFile = {
      url: attachment.url,
      urlIsPublic: isAllowedUrl(attachment.url),
      urlMimeType: downloaded.mimeType,
      name,
      mimeType,
      kind: mediaKindOf({ mimeType }),
      size: downloaded.size,
      open: () => createReadStream(downloaded.path),
      offer: () => options.offer({ name, mimeType, content: createReadStream(downloaded.path) }),
    };
    // A file left on disk only costs space, but a failure here would fail a message that may already have been sent.
    const discard = (): Promise<void> => downloaded.remove().catch(() => undefined);
    return { kind: "ready", prepared: { file, path: downloaded.path, discard } };
  } catch (error) {
    return refusal(error, maxBytes);
  }
}

/** A file that was uploaded to us is read from the store. */
async function ownFile(files: FileStore, attachment: Attachment, fileId: string): Promise<Preparation> {
  const size = await files.size(fileId);
  if (size === undefined) {
    const description = "The file is no longer stored";
    return { kind: "refused", error: { code: "CONTENT_CONVERSION_ERROR", description } };
  }
  const { url, name = "file", mimeType: stated } = attachment;
  const mimeType = mimeTypeOf({ ...(stated === undefined ? {} : { mimeType: stated }), name });
  const file: OutboundFile = {
    url,
    urlIsPublic: isAllowedUrl(url),
    urlMimeType: mimeType,
    name,
    mimeType,
    kind: mediaKindOf({ mimeType }),
    size,
    open: () => files.open(fileId),
    // It has a public address already.
    offer: async () => url,
  };
  return { kind: "ready", prepared: { file, discard: () => Promise.resolve() } };
}

function refusal(error: unknown, maxBytes: number): Preparation {
  if (error instanceof DownloadTooBig) {
    return {
      kind: "refused",
      error: {
        code: "TOO_BIG_CONTENT",
        description: `The file is larger than ${Math.floor(maxBytes / 2 ** 20)} MB`,
      },
    };
  }
  if (error instanceof DownloadMismatch) {
    return { kind: "refused", error: { code: "WRONG_CONTENT", description: error.message } };
  }
  if (error instanceof DownloadFailed && !isTemporary(error)) {
    const description = "The file could not be fetched from its address";
    return { kind: "refused", error: { code: "CONTENT_CONVERSION_ERROR", description, data: error.message } };
  }
  if (error instanceof DownloadFailed) return { kind: "later", reason: error.message };
  throw error;
}

/** No response, or one about the host rather than the file. */
function isTemporary({ status }: DownloadFailed): boolean {
  return status === undefined || status === 408 || status === 429 || status >= 500;
}
