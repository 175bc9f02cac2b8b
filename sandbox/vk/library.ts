import { randomBytes } from "node:crypto";
import type { Attachment } from "./shape.ts";

/** Something that can be attached to messages: a photo, a document, a video, a post on a wall. */
export interface MediaObject {
  readonly type: string;
  readonly ownerId: number;
  readonly id: number;
  /** Who is not the owner needs it; undefined where everybody may see the object. */
  readonly accessKey: string | undefined;
  readonly object: Readonly<Record<string, unknown>>;
}

/** What a new object is made of; its id and key are given by the library. */
export interface NewMedia {
  readonly type: string;
  readonly ownerId: number;
  readonly isPrivate: boolean;
  /** The fields besides `id`, `owner_id` and `access_key`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Old clients write a voice message or a graffiti as the document that it also is. */
const alsoDocuments = ["audio_message", "graffiti"];

/** Every object by the text that attaches it: `photo-1_457_k`. */
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

  /** The object that `photo-1_457_k` names; undefined for one that is not there or whose key is wrong. */
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
