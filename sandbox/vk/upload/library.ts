import { randomBytes } from "node:crypto";
import type { Attachment } from "../shape.ts";

/** An object that can be attached to messages: a photo, a document, a video, a wall post. */
export interface MediaObject {
  readonly type: string;
  readonly ownerId: number;
  readonly id: number;
  /** Required for all but the owner; undefined: the object is public. */
  readonly accessKey: string | undefined;
  readonly object: Readonly<Record<string, unknown>>;
}

/** A new object without its id and key, which the library assigns. */
export interface NewMedia {
  readonly type: string;
  readonly ownerId: number;
  readonly isPrivate: boolean;
  /** The fields besides `id`, `owner_id` and `access_key`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Old clients refer to a voice message or a graffiti as a document. */
const alsoDocuments = ["audio_message", "graffiti"];

/** All objects by their attachment text: `photo-1_457_k`. */
export class MediaLibrary {
  readonly #objects = new Map<string, MediaObject>();
  #lastId = 456_239_016;

  add({ type, ownerId, isPrivate, fields }: NewMedia): MediaObject {
    this.#lastId++;
    const id = this.#lastId;
    const accessKey = isPrivate ? randomBytes(9).toString("hex") : undefined;
    const key = accessKey === undefined ? {} : { access_key: accessKey };
    const media = { type, ownerId, id, accessKey, object: { id, owner_id: ownerId, ...key, ...fields } };
    this.restore(media);
    return media;
  }

  /** The object of `photo-1_457_k`; undefined if it does not exist or its key is wrong. */
  find(reference: string, callerId: number): MediaObject | undefined {
    const [, type, owner, id, key] = /^([a-z_]+?)(-?\d+)_(\d+)(?:_(\w+))?$/.exec(reference) ?? [];
    if (type === undefined) return undefined;
    const types = type === "doc" ? ["doc", ...alsoDocuments] : [type];
    const media = types.map((name) => this.#objects.get(`${name}${owner}_${id}`)).find(Boolean);
    const isOpen = media?.accessKey === undefined || media.ownerId === callerId || key === media.accessKey;
    return isOpen ? media : undefined;
  }

  clear(): void {
    this.#objects.clear();
  }

  save(): readonly MediaObject[] {
    return [...this.#objects.values()];
  }

  restore(media: MediaObject): void {
    this.#objects.set(`${media.type}${media.ownerId}_${media.id}`, media);
    this.#lastId = Math.max(this.#lastId, media.id);
  }
}

export function attachmentOf({ type, object }: MediaObject): Attachment {
  return { type, [type]: object };
}
