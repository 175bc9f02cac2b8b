import { Type } from "typebox";
import { CHAT_TYPES, type ChatType } from "../core/transport/definition.ts";
import { patterned } from "./shapes.ts";

/** What both versions say of a page of chats, each in its own spelling. */
export const chatType = Type.Unsafe<ChatType>({ type: "string", enum: [...CHAT_TYPES] });
export const chatId = patterned("printable", { maxLength: 255 });
export const username = patterned("printable", { maxLength: 255 });
export const phone = patterned("digits");
export const contactName = Type.String({ maxLength: 255 });
export const userId = patterned("printable", { maxLength: 255 });
export const pageScope = Type.Unsafe<"global" | "card">({ type: "string", enum: ["global", "card"] });
export const clientType = Type.String({ maxLength: 255 });
export const MAX_CHATS = 100;

/** Nobody can be found without one of them: the id is missed where the others are missing. */
export function someName(idField: string) {
  return {
    if: { not: { anyOf: [{ required: ["username"] }, { required: ["phone"] }] } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: [idField] },
  };
}

/** Where the list of chats is needed. */
export function neededFor(scope: "card", field: string) {
  return {
    if: { properties: { scope: { const: scope } }, required: ["scope"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: [field], properties: { [field]: { type: "array", minItems: 1 } } },
  };
}
