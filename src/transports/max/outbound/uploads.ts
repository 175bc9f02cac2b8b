import type { OutboundFile, TransportRequest } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { fields, integerText, listOf, text } from "../../../platform/foreign/foreign-json.ts";
import { encodeMultipart } from "../../../platform/network/multipart.ts";
import { isJson, type Json, parsed } from "../../kit/json.ts";
import { toFailure } from "../errors.ts";
import { type UploadKind, uploadKindOf } from "../outbound.ts";
import { idIn } from "../people/ids.ts";
import { OP } from "../wire/opcodes.ts";

/** Long enough for a large file. */
const UPLOAD_TIMEOUT_MS = 600_000;
/** Responses that say nothing about the file: Request Timeout, Too Early, Too Many Requests. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429]);

const readSlots = fields({
  url: text,
  info: listOf(
    fields({ url: text, token: text, videoId: integerText, audioId: integerText, fileId: integerText }),
  ),
});
type Slot = NonNullable<NonNullable<ReturnType<typeof readSlots>>["info"]>[number];

export interface UploadParts {
  call(opcode: number, payload: object): Promise<Json>;
  readonly request: TransportRequest;
  /** Rejects URLs that are not on MAX's hosts. Throws `TransportError`. */
  mayUse(url: string): void;
  readonly signal: AbortSignal;
}

/** The result of an upload. */
export interface Uploaded {
  readonly attachment: object;
  /** The id in the push that reports the end of processing. */
  readonly readyId?: string | undefined;
}

/**
 * Uploads a file, streamed from disk, and returns its attachment. Nothing has been sent yet, so every failure may be
 * retried. Throws `TransportError`.
 */
export async function upload(parts: UploadParts, file: OutboundFile): Promise<Uploaded> {
  try {
    const kind = uploadKindOf(file);
    return kind === "photo" ? await uploadPhoto(parts, file) : await uploadFile(parts, file, kind);
  } catch (error) {
    throw toFailure(error, { isHarmless: true });
  }
}

async function uploadPhoto(parts: UploadParts, file: OutboundFile): Promise<Uploaded> {
  return { attachment: { _type: "PHOTO", photoToken: await photoTokenOf(parts, file) } };
}

/** Uploads a picture and returns MAX's token for it. Throws what `parts.call` throws, and `TransportError`. */
export async function photoTokenOf(parts: UploadParts, file: OutboundFile): Promise<string> {
  const { url } = readSlots(await parts.call(OP.photoUpload, { count: 1, profile: false })) ?? {};
  const answer = await post(parts, url, encodeMultipart({}, file));
  const photos = isJson(answer) && isJson(answer["photos"]) ? Object.values(answer["photos"]) : [];
  const photoToken = photos
    .map((photo) => fields({ token: text })(photo)?.token)
    .find((each) => each !== undefined);
  if (photoToken === undefined) throw unreadable("upload of a picture without a token");
  return photoToken;
}

async function uploadFile(
  parts: UploadParts,
  file: OutboundFile,
  kind: "video" | "voice" | "file",
): Promise<Uploaded> {
  const { opcode, type } = SLOTS[kind];
  const slots = readSlots(await parts.call(opcode, { count: 1, profile: false, ...type }));
  const slot = slots?.info?.[0] ?? {};
  await post(parts, slot.url, rawBody(file));
  const id = slot.videoId ?? slot.audioId ?? slot.fileId;
  return { attachment: attachmentOf(kind, slot), readyId: id };
}

/** `type` 2 of a video upload is a voice note, as in public MAX clients. */
const SLOTS: Readonly<
  Record<Exclude<UploadKind, "photo">, { readonly opcode: number; readonly type: object }>
> = {
  video: { opcode: OP.videoUpload, type: { type: 0, uploaderType: 0 } },
  voice: { opcode: OP.videoUpload, type: { type: 2, uploaderType: 1 } },
  file: { opcode: OP.fileUpload, type: { type: 0, uploaderType: 0 } },
};

function attachmentOf(kind: "video" | "voice" | "file", slot: Slot): object {
  const [videoId, audioId, fileId] = [slot.videoId, slot.audioId ?? slot.videoId, slot.fileId].map((id) =>
    id === undefined ? undefined : idIn(id),
  );
  const { token } = slot;
  if (kind === "video" && videoId !== undefined) return { _type: "VIDEO", videoId, token };
  if (kind === "voice" && audioId !== undefined) return { _type: "AUDIO", audioId, token };
  if (kind === "file" && fileId !== undefined) return { _type: "FILE", fileId };
  throw unreadable("upload without an id");
}

interface Body {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReturnType<OutboundFile["open"]>;
}

function rawBody(file: OutboundFile): Body {
  const last = Math.max(0, file.size - 1);
  return {
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(file.size),
      "content-range": `bytes 0-${last}/${file.size}`,
      // Other characters are not allowed in a header.
      "content-disposition": `attachment; filename="${encodeURIComponent(file.name)}"`,
    },
    body: file.open(),
  };
}

async function post(parts: UploadParts, url: string | undefined, { headers, body }: Body): Promise<unknown> {
  if (url === undefined) throw unreadable("upload without a URL");
  try {
    parts.mayUse(url);
  } catch (error) {
    body.destroy();
    throw error;
  }
  const { request, signal } = parts;
  const answer = await request({ method: "POST", url, headers, body, timeoutMs: UPLOAD_TIMEOUT_MS, signal });
  const bytes = await answer.bytes().catch(() => new Uint8Array());
  const { status } = answer;
  if (status >= 400 && status < 500 && !TRANSIENT.has(status))
    throw new TransportError("CONTENT_CONVERSION_ERROR", "MAX rejected this file", {
      data: `HTTP ${status}`,
    });
  if (status < 200 || status > 299) throw unreadable(`HTTP ${status}`);
  return parsed(Buffer.from(bytes).toString());
}

function unreadable(data: string): TransportError {
  return new TransportError("UNKNOWN_ERROR", "MAX returned an unreadable response", { retry: "later", data });
}
