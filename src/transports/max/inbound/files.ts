import type { FileResume, OpenedFile, TransportRequest } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import type { FileRef } from "../../../core/transport/events.ts";
import { fields, text } from "../../../platform/foreign/foreign-json.ts";
import { isJson, type Json } from "../../kit/json.ts";
import { noResponse } from "../../kit/no-response.ts";
import { isFile, noSuchFile, resumeHeaders, toOpenedFile, typeIn } from "../../kit/opened-file.ts";
import { toFailure } from "../errors.ts";
import { idIn } from "../people/ids.ts";
import { OP } from "../wire/opcodes.ts";
import { type FileToken, parseFileToken } from "./file-token.ts";
import { type MaxAttachment, messagesIn, readMessage, withForwarded } from "./update.ts";

export interface FileParts {
  /** Rejects like `MaxClient.call`, or with `TransportError` if there is no connection. */
  call(opcode: number, payload: object): Promise<Json>;
  readonly request: TransportRequest;
  mayUse(url: string): void;
  readonly signal: AbortSignal;
}

/** Opens an inbound file. If its URL has expired, requests another one from MAX. Throws `TransportError`. */
export async function openFile(parts: FileParts, file: FileRef, resume?: FileResume): Promise<OpenedFile> {
  const token = parseFileToken(file.token);
  if (token === null) throw new TransportError("GENERAL_ERROR", "This is not a MAX file");
  const known = token.url === undefined ? null : await fetchFile(parts, token.url, { file, resume });
  if (known !== null) return known;
  const fetched = await fetchFile(parts, await askAddress(parts, token), { file, resume });
  if (fetched === null) throw noSuchFile("MAX");
  return fetched;
}

/** Returns null if the URL has expired. */
async function fetchFile(
  parts: FileParts,
  url: string,
  { file, resume }: { readonly file: FileRef; readonly resume: FileResume | undefined },
): Promise<OpenedFile | null> {
  parts.mayUse(url);
  const { request, signal } = parts;
  const answer = await request({ method: "GET", url, signal, headers: resumeHeaders(resume) }).catch(
    (error: unknown) => {
      throw noResponse(error, "MAX", true);
    },
  );
  if (isFile(answer)) {
    const mimeType = file.mimeType ?? typeIn(answer.headers["content-type"]);
    return toOpenedFile(answer, { ...file, mimeType });
  }
  answer.stream().destroy();
  if (answer.status >= 500 || answer.status === 429) throw noSuchFile("MAX", true);
  return null;
}

async function askAddress(parts: FileParts, token: FileToken): Promise<string> {
  const { kind, chatId, messageId, id } = token;
  const [chat, message] = [idIn(chatId ?? ""), idIn(messageId ?? "")];
  if (chat === undefined || message === undefined) throw noSuchFile("MAX");
  try {
    if (kind === "video" || kind === "file") return await askOwnAddress(parts, token, { chat, message });
    const answer = await parts.call(OP.messages, { chatId: chat, messageIds: [message] });
    const messages = messagesIn(answer).flatMap((raw) => withForwarded(readMessage(raw) ?? {}));
    const attaches = messages.flatMap((each) => each.attaches ?? []);
    const found = attaches.find((each) => isMeant(each, kind, id));
    const url = kind === "animation" ? found?.mp4Url : addressOf(found);
    if (url === undefined) throw noSuchFile("MAX");
    return url;
  } catch (error) {
    throw toFailure(error, { isHarmless: true });
  }
}

function isMeant(
  { _type, photoId, audioId, mp4Url }: MaxAttachment,
  kind: FileToken["kind"],
  id: string | undefined,
): boolean {
  if (kind === "animation" && mp4Url === undefined) return false;
  const isKind = _type === (kind === "animation" ? "PHOTO" : kind.toUpperCase());
  // Voice messages arrive under another type at clients of older versions.
  if (!isKind && !(kind === "audio" && audioId !== undefined)) return false;
  return id === undefined || (kind === "audio" ? audioId : photoId) === id;
}

function addressOf(found: MaxAttachment | undefined): string | undefined {
  return found?.baseUrl ?? found?.url ?? found?.mp4Url ?? found?.lottieUrl;
}

interface Place {
  readonly chat: bigint;
  readonly message: bigint;
}

async function askOwnAddress(
  { call }: FileParts,
  { kind, id = "" }: FileToken,
  { chat, message }: Place,
): Promise<string> {
  const own = idIn(id);
  if (own === undefined) throw noSuchFile("MAX");
  const about = { chatId: chat, messageId: message };
  const answer =
    kind === "video"
      ? await call(OP.videoAddress, { ...about, videoId: own })
      : await call(OP.fileAddress, { ...about, fileId: own });
  const url = fields({ url: text })(answer)?.url ?? bestVideo(answer);
  if (url === undefined) throw noSuchFile("MAX", true);
  return url;
}

/** A video has several sizes (`MP4_720`), or a single URL. */
function bestVideo(answer: unknown): string | undefined {
  const sizes = Object.entries(isJson(answer) ? answer : {}).flatMap(([name, url]) => {
    const height = /^MP4_(\d+)$/.exec(name)?.[1];
    return height !== undefined && typeof url === "string" ? [{ height: Number(height), url }] : [];
  });
  return sizes.toSorted((a, b) => b.height - a.height)[0]?.url;
}
