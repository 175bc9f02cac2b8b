import { createHash, randomBytes } from "node:crypto";
import { answerJson, type Exchange } from "../../http/exchange.ts";
import { readMultipart, type Upload } from "../../http/multipart.ts";
import { type ImageSize, imageHeadBytes, readImageSize } from "../../image-size.ts";
import type { FileStore, StoredFile } from "../../public-files.ts";
import { VkError } from "../call/vk-error.ts";
import { extensionOf } from "./media.ts";

/** The kind of file for an address. */
export type UploadKind = "photo" | "doc" | "audio_message" | "graffiti" | "chat_photo";

/** An uploaded file that can be saved by the community that requested the address. */
export interface Uploaded {
  readonly kind: UploadKind;
  readonly groupId: number;
  readonly file: StoredFile;
  /** Pictures only. */
  readonly size: ImageSize | undefined;
}

/** The prefix of upload addresses. */
export const uploadPath = "/upload/";

/** https://dev.vk.com/ru/api/upload/photo-in-message and .../document-in-message */
const maxPhotoBytes = 50 * 1024 * 1024;
const maxDocBytes = 200 * 1024 * 1024;
const maxSides = 14_000;
const minChatPhotoSide = 200;
const maxRatio = 20;
const refusedExtensions = /^(mp3|exe|com|bat|cmd|msi|scr|apk|jar|dll|sh)$/;

interface Ticket {
  readonly kind: UploadKind;
  readonly groupId: number;
  /** Of a chat's picture. */
  readonly chatId: number;
}

/** The upload servers, which on VK are separate hosts. */
export class UploadDesk {
  readonly #files: FileStore;
  readonly #url: () => string;
  readonly #tickets = new Map<string, Ticket>();
  readonly #photos = new Map<string, Uploaded>();
  readonly #documents = new Map<string, Uploaded>();
  readonly #chatPhotos = new Map<string, { readonly chatId: number; readonly uploaded: Uploaded }>();

  constructor(files: FileStore, url: () => string) {
    this.#files = files;
    this.#url = url;
  }

  /** An address for one kind of file, valid for any number of uploads. */
  open(kind: UploadKind, groupId: number, chatId = 0): string {
    const ticket = randomBytes(16).toString("hex");
    this.#tickets.set(ticket, { kind, groupId, chatId });
    return `${this.#url()}${uploadPath}${kind}/${ticket}`;
  }

  /** `POST /upload/<kind>/<ticket>`: multipart, the file in the field `photo` or `file`. */
  async serve(exchange: Exchange, path: string): Promise<void> {
    const ticket = this.#tickets.get(path.split("/")[3] ?? "");
    if (!ticket || exchange.method !== "POST") {
      answerJson(exchange, 404, { error: "upload server not found" });
      return;
    }
    try {
      answerJson(exchange, 200, await this.#take(exchange, ticket));
    } catch (error) {
      if (exchange.response.destroyed) return;
      answerJson(exchange, 200, { error: error instanceof Error ? error.message : String(error) });
    }
  }

  #take(exchange: Exchange, ticket: Ticket): Promise<object> {
    if (ticket.kind === "photo") return this.#takePhoto(exchange, ticket);
    return ticket.kind === "chat_photo"
      ? this.#takeChatPicture(exchange, ticket)
      : this.#takeDoc(exchange, ticket);
  }

  /** The upload of `messages.setChatPhoto`, with the chat that its address was for. */
  takeChatPhoto(file: string): { readonly chatId: number; readonly uploaded: Uploaded } {
    const found = this.#chatPhotos.get(file);
    if (!found) throw new VkError(129);
    this.#chatPhotos.delete(file);
    return found;
  }

  /** The upload of `photos.saveMessagesPhoto`. Each upload can be saved once. */
  takePhoto(photo: string, server: number | undefined, hash: string | undefined): Uploaded {
    if (photo === "[]") throw new VkError(100, "photos_list is invalid");
    const uploaded = this.#photos.get(photo);
    if (!uploaded) throw new VkError(129);
    if (server !== undefined && server !== serverNumber) throw new VkError(118);
    if (hash !== hashOf(photo)) throw new VkError(121);
    this.#photos.delete(photo);
    return uploaded;
  }

  /** The upload of `docs.save`. */
  takeDocument(file: string): Uploaded {
    const uploaded = this.#documents.get(file);
    if (!uploaded) throw new VkError(105);
    this.#documents.delete(file);
    return uploaded;
  }

  clear(): void {
    for (const map of [this.#tickets, this.#photos, this.#documents, this.#chatPhotos]) map.clear();
  }

  async #takePhoto(exchange: Exchange, { kind, groupId }: Ticket): Promise<object> {
    const upload = await this.#read(exchange, maxPhotoBytes, "photo");
    const size = upload && (await this.#measure(upload));
    if (!upload || !size) return { server: serverNumber, photo: "[]", hash: hashOf("[]") };
    checkPhotoSize(size);
    const file = this.#files.add(upload, upload.name ?? "photo.jpg", upload.mime);
    const photo = JSON.stringify([
      { photo: `${file.token}:x`, sizes: [], kid: randomBytes(8).toString("hex") },
    ]);
    this.#photos.set(photo, { kind, groupId, file, size });
    return { server: serverNumber, photo, hash: hashOf(photo) };
  }

  /** The file in the field `file`; at least 200 pixels wide and high. */
  async #takeChatPicture(exchange: Exchange, { kind, groupId, chatId }: Ticket): Promise<object> {
    const upload = await this.#read(exchange, maxPhotoBytes, "file");
    const size = upload && (await this.#measure(upload));
    if (!upload || !size) throw new Error("ERR_UPLOAD_NO_PHOTO");
    checkPhotoSize(size);
    if (Math.min(size.width, size.height) < minChatPhotoSide)
      throw new Error(`ERR_UPLOAD_BAD_IMAGE_SIZE: ${size.width}x${size.height}`);
    const file = this.#files.add(upload, upload.name ?? "photo.jpg", upload.mime);
    const response = `${groupId}|${chatId}|${file.token}`;
    this.#chatPhotos.set(response, { chatId, uploaded: { kind, groupId, file, size } });
    return { response };
  }

  async #takeDoc(exchange: Exchange, { kind, groupId }: Ticket): Promise<object> {
    const upload = await this.#read(exchange, maxDocBytes, "file");
    if (!upload) throw new Error("no_file");
    if (upload.size === 0) throw new Error("empty_file");
    const name = upload.name ?? "file";
    if (kind === "doc" && refusedExtensions.test(extensionOf(name))) throw new Error("wrong_file_type");
    if (kind === "audio_message" && !(await this.#isVoice(upload)))
      throw new Error("bad_audio_message_format");
    const size = kind === "graffiti" ? await this.#measure(upload) : undefined;
    if (kind === "graffiti" && !size) throw new Error("bad_graffiti_format");
    const file = this.#files.add(upload, name, upload.mime);
    const text = `${groupId}|0|0|${file.token}|${file.size}|${extensionOf(name)}`;
    this.#documents.set(text, { kind, groupId, file, size });
    return { file: text };
  }

  async #read(exchange: Exchange, maxFileBytes: number, field: string): Promise<Upload | undefined> {
    const { files } = await readMultipart(exchange.request, this.#files.blobs, {
      maxFileBytes,
      maxFieldBytes: 1024 * 1024,
      tooLarge: () => new Error("file_too_big"),
      unreadable: () => new Error("bad_request"),
    });
    for (const [name, { key }] of files) if (name !== field) await this.#files.blobs.remove(key);
    return files.get(field);
  }

  async #measure({ key }: Upload): Promise<ImageSize | undefined> {
    return readImageSize(await this.#files.blobs.head(key, imageHeadBytes));
  }

  /** An Ogg file or an MP3. */
  async #isVoice({ key }: Upload): Promise<boolean> {
    const head = (await this.#files.blobs.head(key, 4)).toString("latin1");
    return head === "OggS" || head.startsWith("ID3") || head.startsWith("\xff\xfb");
  }
}

const serverNumber = 626_627;

function hashOf(photo: string): string {
  return createHash("md5").update(`upload ${photo}`).digest("hex");
}

function checkPhotoSize({ width, height }: ImageSize): void {
  if (width + height > maxSides || Math.max(width, height) > maxRatio * Math.min(width, height)) {
    throw new Error(`ERR_UPLOAD_BAD_IMAGE_SIZE: ${width}x${height}`);
  }
}
