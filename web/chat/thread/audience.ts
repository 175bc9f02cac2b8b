import type { Message } from "../model.ts";

/** Who sees an answer to a comment: everybody below the post, or only its author. */
export type Audience = "public" | "private";

/**
 * The answers to comments on Instagram, by message: one that quotes a comment is public, others go to the author alone,
 * until the author has written in private. Pure.
 */
export function audiences(messages: readonly Message[]): ReadonlyMap<string, Audience> {
  const found = new Map<string, Audience>();
  const comments = new Set<string>();
  let isComment = false;
  for (const { id, chatType, isOut, wire } of messages) {
    if (chatType !== "instagram") return found;
    if (!isOut) {
      isComment = wire.post !== undefined;
      if (isComment) comments.add(id);
    } else if (comments.has(wire.quoted?.id ?? "")) found.set(id, "public");
    else if (isComment) found.set(id, "private");
  }
  return found;
}
