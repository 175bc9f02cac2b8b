import { Readable } from "node:stream";
import { Long, type tl } from "@mtcute/core";
import type { FileResume, OpenedFile } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { FileRef } from "../../../core/transport/events.ts";
import { isReferenceExpired, refusalIn, toTransportError } from "../errors.ts";
import { toPlain } from "../library/plain.ts";
import { ask, type Line } from "../line.ts";
import { documentRef, type FileToken, parseFileToken, photoRef } from "./file-token.ts";
import { peerOf, readDocument, readMessage, readPhoto } from "./update.ts";

/** Offsets and lengths must divide a megabyte (core.telegram.org/api/files, "Downloading files"). */
const PART_BYTES = 512 * 1024;

/**
 * Downloads a file part by part as it is read; the first part is downloaded before this resolves. Throws
 * `TransportError`.
 */
export async function openFile(
  line: Line,
  file: FileRef,
  { signal, resume }: { readonly signal: AbortSignal; readonly resume?: FileResume | undefined },
): Promise<OpenedFile> {
  const token = parseFileToken(file.token);
  if (token === null) throw new TransportError("GENERAL_ERROR", "This is not a Telegram file");
  // A document or photo never changes; the picture of a chat has another id after each change.
  const validator = `telegram ${token.of} ${token.id}`;
  const isRest = resume?.validator === validator && resume.from % PART_BYTES === 0;
  const from = isRest ? resume.from : 0;
  const parts = partsOf(line, { token, from }, signal);
  const first = await parts.next().catch((error: unknown) => {
    throw toTransportError(error, { sent: false });
  });
  const stream = Readable.from(joined(first, parts), { objectMode: false, highWaterMark: PART_BYTES });
  stream.on("error", () => undefined);
  return {
    stream,
    validator,
    ...(from === 0 ? {} : { from }),
    ...(file.name === undefined ? {} : { name: file.name }),
    ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }),
    ...(file.size === undefined ? {} : { size: file.size }),
  };
}

async function* joined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

/** How often in a row Telegram may name another data centre or reference for the same part. */
const MOST_MOVES = 3;

function withoutPlace(): TransportError {
  return new TransportError("GENERAL_ERROR", "Telegram names another place for this file each time", {
    retry: "later",
  });
}

async function* partsOf(
  line: Line,
  { token, from }: { readonly token: FileToken; readonly from: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let current = token;
  let moves = 0;
  for (let offset = from; ; ) {
    const fetched = await fetchPart(line, { token: current, offset }, signal);
    if ("token" in fetched) {
      if (++moves > MOST_MOVES) throw withoutPlace();
      current = fetched.token;
      continue;
    }
    moves = 0;
    if (fetched.bytes.length > 0) yield fetched.bytes;
    offset += fetched.bytes.length;
    if (fetched.bytes.length < PART_BYTES) return;
  }
}

interface Asked {
  readonly token: FileToken;
  readonly offset: number;
}

/** Returns the bytes, or the token to retry with: for another data centre, or with a fresh reference. */
async function fetchPart(
  line: Line,
  { token, offset }: Asked,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array } | { readonly token: FileToken }> {
  try {
    const location = await locationOf(line, token);
    const request = { _: "upload.getFile" as const, location, offset, limit: PART_BYTES };
    const dc = token.dc === 0 ? {} : { dcId: token.dc };
    const answer = await ask(line, request, signal, { kind: "download", ...dc });
    if (answer._ === "upload.file") return { bytes: answer.bytes };
  } catch (error) {
    const refusal = refusalIn(error);
    const moved = Number(/^FILE_MIGRATE_(\d+)$/.exec(refusal?.text ?? "")?.[1]);
    if (moved > 0 && moved !== token.dc) return { token: { ...token, dc: moved } };
    if (refusal === null || !isReferenceExpired(refusal)) throw error;
    return { token: await refreshed(line, token, signal) };
  }
  throw new TransportError("GENERAL_ERROR", "Telegram stores this file where it cannot be downloaded");
}

async function locationOf({ book }: Line, token: FileToken): Promise<tl.TypeInputFileLocation> {
  if (token.of === "picture") {
    const peer = await book.inputPeer(token.chatId);
    if (peer === null) throw new TransportError("GENERAL_ERROR", "Telegram no longer shows this picture");
    return { _: "inputPeerPhotoFileLocation", peer, photoId: Long.fromString(token.id), big: true };
  }
  const file = {
    id: Long.fromString(token.id),
    accessHash: Long.fromString(token.hash),
    fileReference: Buffer.from(token.reference, "base64"),
    thumbSize: token.size,
  };
  return token.of === "photo"
    ? { _: "inputPhotoFileLocation", ...file }
    : { _: "inputDocumentFileLocation", ...file };
}

/** Fetches the message again, which contains a valid file reference (core.telegram.org/api/file_reference). */
async function refreshed(line: Line, token: FileToken, signal: AbortSignal): Promise<FileToken> {
  const message = token.of === "picture" ? undefined : await fetchMessage(line, token.place, signal);
  if (token.of === "picture" || message === undefined) throw gone();
  const found = findFile(message, token.id);
  const fresh =
    token.of === "photo"
      ? photoRef(readPhoto(found), token.place)
      : documentRef(readDocument(found), token.place);
  const next = fresh && parseFileToken(fresh.token);
  if (next == null || next.of === "picture" || next.reference === token.reference) throw gone();
  return { ...next, size: token.size, dc: token.dc };
}

/** The file with this id, wherever in the message it is: in its media, in a poll's option, in a rich message. */
function findFile(part: unknown, id: string): object | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  if ("id" in part && part.id === id && "fileReference" in part) return part;
  for (const value of Object.values(part)) {
    const found = findFile(value, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

const gone = (): TransportError => new TransportError("GENERAL_ERROR", "Telegram no longer has this file");

/** Fetches one message of a chat; undefined if it no longer exists. */
async function fetchMessage(
  line: Line,
  { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
  signal: AbortSignal,
): Promise<ReturnType<typeof readMessage>> {
  const id: tl.TypeInputMessage[] = [{ _: "inputMessageID", id: Number(messageId) }];
  const peer = peerOf(chatId)?.kind === "channel" ? await line.book.inputPeer(chatId) : null;
  const answer =
    peer?._ === "inputPeerChannel"
      ? await ask(line, { _: "channels.getMessages", channel: { ...peer, _: "inputChannel" }, id }, signal)
      : await ask(line, { _: "messages.getMessages", id }, signal);
  const messages = "messages" in answer ? answer.messages : [];
  const found = messages.map((each) => readMessage(toPlain(each))).find((each) => each?.id === messageId);
  return found?._ === "messageEmpty" ? undefined : found;
}
