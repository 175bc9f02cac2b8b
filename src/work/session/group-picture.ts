import { once } from "node:events";
import type { Dispatcher } from "undici";
import type { Attachment } from "../../core/content.ts";
import type { GroupCapabilities } from "../../core/transport/definition.ts";
import type { OutboundFile } from "../../core/transport/outbound-file.ts";
import type { FileStore } from "../../platform/file/files.ts";
import { messageOf } from "../../platform/message-of.ts";
import { prepareAttachment } from "../attachments.ts";

/** A picture fetched to disk; `discard` removes it. */
export interface Picture {
  readonly file: OutboundFile;
  discard(): Promise<void>;
}

/** A picture that cannot be fetched, or that the messenger would not take. */
export class PictureFault extends Error {
  readonly isTemporary: boolean;
  constructor(description: string, { isTemporary }: { readonly isTemporary: boolean }) {
    super(description);
    this.isTemporary = isTemporary;
  }
}

/** How files of these types begin; `null` stands for any byte. */
const BEGINNINGS: readonly (readonly [mimeType: string, ...bytes: (number | null)[]])[] = [
  ["image/jpeg", 0xff, 0xd8, 0xff],
  ["image/png", 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  ["image/gif", 0x47, 0x49, 0x46, 0x38],
  ["image/webp", 0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50],
];

/** The type of a picture by its first bytes, whatever its host says; null if it is none of these. Pure. */
export function pictureType(first: Uint8Array): string | null {
  const found = BEGINNINGS.find(([, ...bytes]) =>
    bytes.every((byte, index) => byte === null || first[index] === byte),
  );
  return found?.[0] ?? null;
}

/** Fetches a group's picture through the guard. Throws `PictureFault`. */
export async function fetchPicture(
  attachment: Attachment,
  options: {
    readonly limits: GroupCapabilities["picture"];
    readonly dispatcher: Dispatcher;
    readonly directory: string;
    readonly files: FileStore;
    readonly signal: AbortSignal;
  },
): Promise<Picture> {
  const { limits, ...rest } = options;
  if (limits === null) throw new PictureFault("Groups have no pictures", { isTemporary: false });
  const offer = (): Promise<never> => Promise.reject(new Error("A picture has no address of ours"));
  const preparation = await prepareAttachment(attachment, {
    ...rest,
    maxBytes: limits.maxBytes,
    offer,
  }).catch((error: unknown) => {
    throw new PictureFault(messageOf(error), { isTemporary: true });
  });
  if (preparation.kind === "later") throw new PictureFault(preparation.reason, { isTemporary: true });
  if (preparation.kind === "refused")
    throw new PictureFault(preparation.error.description, { isTemporary: false });
  const { file, discard } = preparation.prepared;
  const mimeType = pictureType(await firstBytes(file));
  if (mimeType !== null && limits.mimeTypes.includes(mimeType))
    return { file: { ...file, mimeType, kind: "image" }, discard };
  await discard();
  throw new PictureFault(`The picture must be ${limits.mimeTypes.join(" or ")}`, { isTemporary: false });
}

async function firstBytes({ open, size }: OutboundFile): Promise<Uint8Array> {
  if (size === 0) return new Uint8Array();
  const stream = open();
  try {
    const [chunk] = (await once(stream, "data")) as [Uint8Array];
    return chunk;
  } finally {
    stream.destroy();
  }
}
