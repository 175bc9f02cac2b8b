import { badParam } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import type { MediaKind } from "../media/media-type.ts";

/** A file in a message: stored by Meta, or to be downloaded. */
export interface MediaUse {
  readonly kind: MediaKind;
  readonly source: { readonly id: string } | { readonly link: string };
}

/** Exactly one of `id` and `link`; Meta must be able to open a link. */
export function readSource(media: Param, kind: MediaKind): MediaUse {
  const id = media.text("id");
  const link = media.text("link");
  if ((id === undefined) === (link === undefined)) {
    throw badParam(`Exactly one of ${media.placeOf("id")} and ${media.placeOf("link")} is required.`);
  }
  if (id !== undefined) return { kind, source: { id } };
  if (link === undefined || !/^https?:\/\/\S+$/.test(link) || !URL.canParse(link)) {
    throw badParam(`Param ${media.placeOf("link")} must be a valid URI. Input:${link}`);
  }
  return { kind, source: { link } };
}
