import { fields, text } from "../../platform/foreign/foreign-json.ts";
import { isJson, type Json } from "../kit/json.ts";
import { quotation } from "../kit/marked-words.ts";
import { joined, linked } from "../kit/words.ts";
import { attached as readAttached, type TgAttached } from "./content.ts";

export interface RichContent {
  /** Null: none. */
  readonly text: string | null;
  readonly attached: readonly TgAttached[];
}

/** Quotations inside quotations deeper than this are not marked, because each mark lengthens all lines. */
const MAX_MARKED_DEPTH = 8;

/** The words, a line for each block, and the files of a rich message (Bot API, `RichMessage`). */
export function readRich({ blocks }: Json): RichContent {
  const attached: TgAttached[] = [];
  return { text: blockLines(blocks, attached, 0), attached };
}

const address = fields({
  url: text,
  login_url: fields({ url: text }),
  web_app: fields({ url: text }),
  copy_text: fields({ text }),
});

function blockLines(blocks: unknown, attached: TgAttached[], depth: number): string | null {
  if (!Array.isArray(blocks)) return null;
  return joined(blocks.filter(isJson).map((block) => blockWords(block, attached, depth) ?? undefined));
}

/** The words of any block: the fields that blocks of all kinds have, in the order in which they are shown. */
function blockWords(block: Json, attached: TgAttached[], depth: number): string | null {
  const file = readAttached(block);
  if (file !== undefined && Object.keys(file).length > 0) attached.push(file);
  const isQuotation = typeof block["type"] === "string" && /quot/.test(block["type"]);
  const inner = (list: unknown): string | null => blockLines(list, attached, depth + 1);
  const caption = isJson(block["caption"]) && "text" in block["caption"] ? block["caption"] : undefined;
  const words = joined([
    richText(block["summary"]),
    joined([plain(block["label"]), inner(block["blocks"]) ?? undefined], " ") ?? undefined,
    richText(block["text"]),
    plain(block["expression"]),
    ...listIn(block["items"]).map((item) => blockWords(item, attached, depth + 1) ?? undefined),
    ...rowsIn(block["cells"]),
    ...listIn(block["buttons"]).map(buttonWords),
    caption === undefined ? richText(block["caption"]) : richText(caption["text"]),
    richText(caption?.["credit"] ?? block["credit"]),
  ]);
  return words !== null && isQuotation && depth < MAX_MARKED_DEPTH ? quotation(words) : words;
}

const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const plain = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A row of a table is a line. */
function rowsIn(cells: unknown): (string | undefined)[] {
  if (!Array.isArray(cells)) return [];
  return cells.map(
    (row) =>
      joined(
        listIn(row).map((cell) => richText(cell["text"])),
        " | ",
      ) ?? undefined,
  );
}

function buttonWords(button: Json): string | undefined {
  const { url, login_url, web_app, copy_text } = address(button) ?? {};
  return linked(richText(button["text"]), url ?? login_url?.url ?? web_app?.url ?? copy_text?.text);
}

/** A text, a list of texts, or a text in some style, with its address (Bot API, `RichText`). */
function richText(rich: unknown): string | undefined {
  if (typeof rich === "string") return rich;
  if (Array.isArray(rich)) return joined(rich.map(richText), "") ?? undefined;
  if (!isJson(rich)) return undefined;
  if (isJson(rich["button"])) return buttonWords(rich["button"]);
  const words = richText(rich["text"] ?? rich["expression"] ?? rich["alternative_text"]);
  return linked(words, plain(rich["url"] ?? rich["email_address"]));
}
