import type { FileRef } from "../../../core/transport/events.ts";
import { count, fields, integerText, text } from "../../../platform/foreign/foreign-json.ts";
import { parsed } from "../../kit/json.ts";
import { joined } from "../../kit/words.ts";
import type { TgDocument, TgPhoto } from "./update.ts";

/** The message of a file, which must be fetched again when the file reference expires. */
export interface Place {
  readonly chatId: string;
  readonly messageId: string;
}

/** The data for opening a file later. `size` of a photo is the letter of one of its sizes. */
export type FileToken =
  | {
      readonly of: "photo" | "document";
      readonly id: string;
      readonly hash: string;
      /** Base64. */
      readonly reference: string;
      readonly dc: number;
      readonly size: string;
      readonly place: Place;
    }
  /** The picture of a person or a group. */
  | { readonly of: "picture"; readonly id: string; readonly dc: number; readonly chatId: string };

/** Undefined if the file cannot be opened. */
export function photoRef(photo: TgPhoto | undefined, place: Place): FileRef | undefined {
  const largest = (photo?.sizes ?? []).toSorted((a, b) => area(b) - area(a))[0];
  const size = largest?.size ?? largest?.sizes?.at(-1);
  const token = locate("photo", photo, { size: largest?.type ?? "", place });
  if (token === undefined) return undefined;
  return { token, mimeType: "image/jpeg", ...(size !== undefined && { size }) };
}

const area = ({ w = 0, h = 0 }: { w?: number | undefined; h?: number | undefined }): number => w * h;

/** Undefined if the file cannot be opened. */
export function documentRef(document: TgDocument | undefined, place: Place): FileRef | undefined {
  const token = locate("document", document, { size: "", place });
  const attributes = document?.attributes ?? [];
  const { performer, title } = attributes.find((each) => each.title ?? each.performer) ?? {};
  // Music without a file name is named after what Telegram shows.
  const name =
    attributes.find(({ fileName }) => fileName !== undefined)?.fileName ??
    joined([performer, title], " - ") ??
    undefined;
  if (token === undefined) return undefined;
  return {
    token,
    ...(name !== undefined && { name }),
    ...(document?.mimeType !== undefined && { mimeType: document.mimeType }),
    ...(document?.size !== undefined && { size: document.size }),
  };
}

function locate(
  of: "photo" | "document",
  file: Pick<TgDocument, "id" | "accessHash" | "fileReference" | "dcId"> | undefined,
  rest: { readonly size: string; readonly place: Place },
): string | undefined {
  if (file?.id === undefined) return undefined;
  const { id, accessHash: hash = "0", fileReference: reference = "", dcId: dc = 0 } = file;
  return JSON.stringify({ of, id, hash, reference, dc, ...rest } satisfies FileToken);
}

/** The picture of a person or a group; `id` changes with the picture. */
export function pictureRef(
  chatId: string,
  photo: { readonly photoId?: string | undefined; readonly dcId?: number | undefined } | undefined,
): FileRef | undefined {
  if (photo?.photoId === undefined) return undefined;
  const token: FileToken = { of: "picture", id: photo.photoId, dc: photo.dcId ?? 0, chatId };
  return { token: JSON.stringify(token), mimeType: "image/jpeg" };
}

const shape = fields({
  of: text,
  id: integerText,
  hash: integerText,
  reference: text,
  dc: count,
  size: text,
  chatId: text,
  place: fields({ chatId: text, messageId: text }),
});

/** Null if the text is not a file token. */
export function parseFileToken(token: string): FileToken | null {
  const read = shape(parsed(token));
  const { of, id, dc = 0 } = read ?? {};
  if (read === undefined || id === undefined) return null;
  if (of === "picture") return { of, id, dc, chatId: read.chatId ?? "" };
  if (of !== "photo" && of !== "document") return null;
  const { chatId = "", messageId = "" } = read.place ?? {};
  const { hash = "0", reference = "", size = "" } = read;
  return { of, id, hash, reference, dc, size, place: { chatId, messageId } };
}
