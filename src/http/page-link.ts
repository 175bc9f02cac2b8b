import { Type } from "typebox";
import { type ChatNames, invalidNameMessage, invalidNames, normalNames } from "../core/chat/names.ts";
import { idOrNumber, MAX_USER_ID_LENGTH } from "../core/crm/entity.ts";
import type { ChatsOpening } from "../core/page-ticket/opening.ts";
import { CHAT_TYPES, type ChatType } from "../core/transport/definition.ts";
import { faultyFields } from "./schema/fields.ts";
import { patterned } from "./schema/shapes.ts";

/** Fields of the request for a chat page. Both versions use them, with different spellings. */
export const chatType = Type.Unsafe<ChatType>({ type: "string", enum: [...CHAT_TYPES] });
export const chatId = patterned("printable", { maxLength: 255 });
export const username = patterned("printable", { maxLength: 255 });
export const phone = patterned("printable", { maxLength: 255 });
export const contactName = Type.String({ maxLength: 255, description: "Name of the contact" });
export const authorName = Type.String({
  maxLength: 255,
  description: "The sender's name as clients see it; default: the employee's name in the CRM",
});
export const userId = idOrNumber(MAX_USER_ID_LENGTH, { description: "Id of the employee in the CRM" });
export const pageScope = Type.Unsafe<"global" | "card">({
  type: "string",
  enum: ["global", "card"],
  description: "global: all chats that the employee may see; card: those of one contact or deal",
});
export const clientType = Type.String({ maxLength: 255, description: "Kind of CRM" });
export const eventSwitch = (about: string) =>
  Type.Boolean({ description: `Whether the page reports ${about} to the CRM's page that embeds it` });
export const CHATS = "The chats that the page shows; required with the scope card";
export const ACTIVE_CHAT = "The chat that is open at first";
export const EVENTS = "The events that the page reports to the CRM's page that embeds it";
export const LINK = Type.String({ description: "Valid once, within ten minutes" });
export const pageLink = Type.Object({ link: LINK }, { title: "PageLink" });
export const MAX_CHATS = 100;

/** JSON Schema: a person needs at least one identifier. If all are missing, the error names the id. */
export function someName(idField: string) {
  return {
    if: { not: { anyOf: [{ required: ["username"] }, { required: ["phone"] }] } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: [idField] },
  };
}

/** JSON Schema: with this scope the field must be a list of at least one entry. */
export function neededFor(scope: "card", field: string) {
  return {
    if: { properties: { scope: { const: scope } }, required: ["scope"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { title: "CardLink", required: [field], properties: { [field]: { type: "array", minItems: 1 } } },
  };
}

/**
 * Normalises the chat names of the opening. Throws VALIDATION_ERROR, which lists all invalid names; `spell` converts
 * a path such as `chats[0].chatId` to the request's spelling.
 */
export function normalOpening<O extends Pick<ChatsOpening, "chats" | "activeChat">>(
  opening: O,
  spell: (path: string) => string,
): O {
  const { chats, activeChat } = opening;
  const faults = [
    ...chats.flatMap((chat, index) => faultsOf(`chats[${index}]`, chat)),
    ...(activeChat === null ? [] : faultsOf("activeChat", activeChat)),
  ];
  if (faults.length > 0) throw faultyFields(faults.map((fault) => ({ ...fault, field: spell(fault.field) })));
  return {
    ...opening,
    chats: chats.map(normalNames),
    activeChat: activeChat === null ? null : normalNames(activeChat),
  };
}

function faultsOf(path: string, chat: ChatNames) {
  return invalidNames(chat).map((name) => ({ field: `${path}.${name}`, message: invalidNameMessage(name) }));
}
