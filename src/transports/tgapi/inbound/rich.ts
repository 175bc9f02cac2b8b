import { isJson, type Json, objectsIn } from "../../kit/json.ts";
import { quotation } from "../../kit/marked-words.ts";
import { joined, linked } from "../../kit/words.ts";

/** Quotations inside quotations deeper than this are not marked, because each mark lengthens all lines. */
const MAX_MARKED_DEPTH = 8;

/** The words of a rich message, a line for each block (TL type `PageBlock`). Null: none. Pure. */
export function blockLines(blocks: readonly Json[], depth = 0): string | null {
  return joined(blocks.map((block) => blockWords(block, depth) ?? undefined));
}

/** The fields that blocks of all kinds have, in the order in which they are shown. */
function blockWords(block: Json, depth: number): string | null {
  const inner = (name: string): string | undefined =>
    blockLines(objectsIn(block, name), depth + 1) ?? undefined;
  const { caption, cover } = block;
  const words = joined([
    richText(block["title"]),
    richText(block["author"]),
    joined([plain(block["num"]), richText(block["text"])], " ") ?? undefined,
    plain(block["source"]),
    isJson(cover) ? (blockWords(cover, depth + 1) ?? undefined) : undefined,
    inner("blocks"),
    inner("items"),
    inner("articles"),
    ...objectsIn(block, "rows").map(rowLine),
    plain(block["description"]),
    plain(block["url"]),
    isJson(caption) && caption["_"] === "pageCaption" ? richText(caption["text"]) : richText(caption),
    isJson(caption) ? richText(caption["credit"]) : undefined,
  ]);
  const isQuotation = typeof block["_"] === "string" && /quote/i.test(block["_"]);
  return words !== null && isQuotation && depth < MAX_MARKED_DEPTH ? quotation(words) : words;
}

/** A row of a table is a line. */
function rowLine(row: Json): string | undefined {
  return (
    joined(
      objectsIn(row, "cells").map((cell) => richText(cell["text"])),
      " | ",
    ) ?? undefined
  );
}

const plain = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A text in some style, with its address (TL type `RichText`). */
function richText(rich: unknown): string | undefined {
  if (typeof rich === "string") return rich;
  if (!isJson(rich)) return undefined;
  const { texts, text, source, alt, url, email } = rich;
  if (Array.isArray(texts)) return joined(texts.map(richText), "") ?? undefined;
  return linked(richText(text ?? source ?? alt), plain(url ?? email));
}
