import type { Base } from "../base.ts";
import { loadFacts } from "../message/load-facts.ts";
import type { MessageFact } from "../payload/facts.ts";
import { cursorOf, END } from "../position.ts";
import { MAX_READ_BYTES, type ReadPage } from "../reading/range.ts";
import type { Scope } from "../scope.ts";
import { findWords, type SearchQuery } from "./search.ts";

/** Messages of the whole account with all words of the text, newest first, as webhooks show them. */
export async function findMessages(
  core: Base,
  { accountId }: Scope,
  { text, before, limit }: SearchQuery,
): Promise<ReadPage<MessageFact>> {
  const hits = await findWords(core.db, { accountId, text, before: before ?? END, limit });
  const keys = hits.map(({ id }) => ({ accountId, id }));
  const facts = await loadFacts(core.db, core.settings.publicUrl, keys);
  const items = upTo(facts, MAX_READ_BYTES);
  const isCut = items.length < facts.length;
  const last = isCut ? hits.find(({ id }) => id === items.at(-1)?.messageId) : hits.at(-1);
  const mayBeMore = isCut || hits.length === limit;
  return { items, next: mayBeMore && last !== undefined ? cursorOf(last) : null };
}

/** Up to the message with which the texts exceed so many bytes. */
function upTo(facts: readonly MessageFact[], maxBytes: number): readonly MessageFact[] {
  let bytes = 0;
  const end = facts.findIndex(({ text }) => {
    bytes += Buffer.byteLength(text ?? "");
    return bytes > maxBytes;
  });
  return end === -1 ? facts : facts.slice(0, end + 1);
}
