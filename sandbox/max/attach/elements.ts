import { needNumber, strictFields } from "../call/operation.ts";
import { badPayload } from "../refusal.ts";
import type { Element } from "../world/chat.ts";

const types = [
  "STRONG",
  "EMPHASIZED",
  "UNDERLINE",
  "STRIKETHROUGH",
  "MONOSPACED",
  "CODE",
  "QUOTE",
  "HEADING",
  "LINK",
  "USER_MENTION",
  "ANIMOJI",
];

/** The formatting of a text, in UTF-16 units. `from` may be omitted: PyMax and the web client omit it for 0. */
export function readElements(values: readonly unknown[], text: string): Element[] {
  return values.map((value) => {
    const fields = strictFields(value, ["type", "from", "length", "entityId", "attributes"], "elements.");
    const type = fields.oneOf("type", types);
    if (type === undefined) throw fields.missing("elements.type");
    const [from, length] = [fields.integer("from") ?? 0, needNumber(fields, "length")];
    if (from < 0 || length < 1 || from + length > text.length)
      throw badPayload("an element is outside the text");
    const attributes = fields.raw("attributes");
    const entityId = fields.integer("entityId");
    return {
      type,
      from,
      length,
      ...(entityId !== undefined && { entityId }),
      ...(attributes !== undefined && { attributes: attributes as Record<string, unknown> }),
    };
  });
}
