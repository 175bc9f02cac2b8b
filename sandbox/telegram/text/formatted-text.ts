import { isRecord } from "../../http/fields.ts";
import { badRequest } from "../call/api-error.ts";
import type { Arguments } from "../call/arguments.ts";
import type { Entity, FormattedText } from "../shape.ts";
import { parseHtml } from "./entity-html.ts";
import { parseMarkdown } from "./entity-markdown.ts";

/** https://core.telegram.org/bots/api#sendmessage, in UTF-16 units after entities parsing. */
const maxTextLength = 4096;
/** https://core.telegram.org/bots/api#sendphoto */
const maxCaptionLength = 1024;

/** Reads `text` with `parse_mode` or `entities`. */
export function readText(args: Arguments): FormattedText {
  const formatted = readFormatted(args, "text", "parse_mode", "entities");
  if (formatted.text === "") throw badRequest("message text is empty");
  if (formatted.text.length > maxTextLength) throw badRequest("message is too long");
  return formatted;
}

/** Reads `caption`, which may be empty. */
export function readCaption(args: Arguments): FormattedText {
  const formatted = readFormatted(args, "caption", "parse_mode", "caption_entities");
  if (formatted.text.length > maxCaptionLength) throw badRequest("message caption is too long");
  return formatted;
}

/** Reads any text field with the parse mode and entities fields that belong to it. */
function readFormatted(args: Arguments, field: string, mode: string, entities: string): FormattedText {
  return trim(parse(args.text(field), args.text(mode), args.list(entities, "message entities")));
}

function parse(text: string, mode: string, given: readonly unknown[] | undefined): FormattedText {
  switch (mode.toLowerCase()) {
    case "html":
      return parseHtml(text);
    case "markdownv2":
      return parseMarkdown(text, "v2");
    case "markdown":
      return parseMarkdown(text, "v1");
    case "":
      return { text, entities: given ? given.map(readEntity) : [] };
    default:
      throw badRequest("unsupported parse_mode");
  }
}

function readEntity(value: unknown): Entity {
  const fault = (reason: string) => badRequest(`can't parse MessageEntity: ${reason}`);
  if (!isRecord(value)) throw fault("Expected an Object");
  const { type, offset, length } = value;
  if (typeof type !== "string") throw fault('Can\'t find field "type"');
  if (typeof offset !== "number" || typeof length !== "number")
    throw fault('Field "offset" must be a Number');
  return { ...value, type, offset, length };
}

/** White space around a message is trimmed, and the offsets of entities are adjusted. */
function trim({ text, entities }: FormattedText): FormattedText {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const kept: Entity[] = [];
  for (const entity of [...entities, ...findEntities(text)]) {
    const from = Math.max(0, entity.offset - start);
    const to = Math.min(trimmed.length, entity.offset + entity.length - start);
    if (to > from) kept.push({ ...entity, offset: from, length: to - from });
  }
  return { text: trimmed, entities: kept.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

const patterns: readonly (readonly [type: string, pattern: RegExp])[] = [
  ["url", /\bhttps?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/g],
  ["email", /\b[\w.+-]+@[\w-]+\.[\w.-]*\w/g],
  ["bot_command", /(?<![\w/@])\/[a-zA-Z]\w{0,63}(?:@\w{3,})?\b/g],
  ["mention", /(?<![\w@.])@[a-zA-Z]\w{3,31}\b/g],
  ["hashtag", /(?<![\w#])#[\p{L}_][\p{L}\d_]*/gu],
];

/** The simple entities that the platform detects itself. */
export function findEntities(text: string): Entity[] {
  if (!/[/@#]/.test(text)) return [];
  const found: Entity[] = [];
  for (const [type, pattern] of patterns) {
    for (const { 0: matched, index } of text.matchAll(pattern)) {
      const end = index + matched.length;
      const taken = found.some((other) => index < other.offset + other.length && end > other.offset);
      if (!taken) found.push({ type, offset: index, length: matched.length });
    }
  }
  return found;
}
