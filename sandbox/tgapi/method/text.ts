import type { tl } from "@mtcute/core";
import type { Call } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { resolveUser } from "../rpc/peer.ts";

export const maxText = 4096;
export const maxCaption = 1024;
const maxEntities = 100;

/** A text with its formatting, in stored form. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly tl.TypeMessageEntity[];
}

/** Trims white space, and checks the formatting: offsets count UTF-16 units. */
export function readText(
  call: Call,
  raw: string,
  entities: readonly tl.TypeMessageEntity[] = [],
): FormattedText {
  const text = raw.trim();
  const before = raw.length - raw.trimStart().length;
  if (entities.length > maxEntities) throw bad("ENTITIES_TOO_LONG");
  const own = entities.map((each) => clip(storable(call, each), { before, length: text.length, raw }));
  const kept = own.filter((each) => each.length > 0);
  return { text, entities: [...kept, ...findLinks(text, kept)].sort((a, b) => a.offset - b.offset) };
}

/** Characters, not UTF-16 units. */
export function countCharacters(text: string): number {
  return [...text].length;
}

/** A mention by id is stored with the bare id. */
function storable(call: Call, entity: tl.TypeMessageEntity): tl.TypeMessageEntity {
  if (entity._ !== "inputMessageEntityMentionName") return entity;
  const { offset, length } = entity;
  return { _: "messageEntityMentionName", offset, length, userId: resolveUser(call, entity.userId).id };
}

function clip(
  entity: tl.TypeMessageEntity,
  { before, length, raw }: { readonly before: number; readonly length: number; readonly raw: string },
): tl.TypeMessageEntity {
  const end = entity.offset + entity.length;
  if (entity.offset < 0 || entity.length < 0 || end > raw.length) throw bad("ENTITY_BOUNDS_INVALID");
  const from = Math.min(Math.max(entity.offset - before, 0), length);
  const to = Math.min(Math.max(end - before, 0), length);
  return { ...entity, offset: from, length: to - from };
}

/** The server detects addresses that the client has not marked. */
function findLinks(text: string, marked: readonly tl.TypeMessageEntity[]): tl.TypeMessageEntity[] {
  return [...text.matchAll(/https?:\/\/[^\s<>"]+/g)]
    .map((found) => ({ _: "messageEntityUrl", offset: found.index, length: found[0].length }) as const)
    .filter(({ offset, length }) =>
      marked.every((each) => each.offset + each.length <= offset || each.offset >= offset + length),
    );
}
