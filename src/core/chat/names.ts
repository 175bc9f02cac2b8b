import { traitsOf } from "../transport/definition.ts";

/** How a client addresses a chat, or the person in it. */
export interface ChatNames {
  readonly chatType: string;
  readonly chatId?: string | null;
  readonly username?: string | null;
  readonly phone?: string | null;
}

/**
 * Characters that people write between the digits of a phone number, and invisible characters from copied numbers.
 */
const SEPARATORS = /[\s().+\-\u2010-\u2015\u2212\p{Cf}]/gu;
const PHONE = /^(?!00)\d{5,15}$/;

/** International, digits only; null if it is not a phone number of 5 to 15 digits. Pure, like all functions below. */
export function normalPhone(phone: string): string | null {
  if (PHONE.test(phone)) return phone;
  const digits = phone.replaceAll(SEPARATORS, "").replace(/^00/, "");
  return PHONE.test(digits) ? digits : null;
}

/**
 * The id under which a chat is stored, however a client spells it; null if it cannot be an id of this chat type. Ids
 * assigned by a transport are already in this form.
 */
export function normalChatId(chatType: string, chatId: string): string | null {
  const { idForm = "own", endings, hiddenIds } = traitsOf(chatType) ?? {};
  const id = endings === undefined ? chatId : chatId.replace(endings, "");
  if (idForm === "username") return normalUsername(id).toLowerCase() || null;
  if (idForm === "own") return id || null;
  return hiddenIds?.test(id) ? id : normalPhone(id);
}

/**
 * Whether another person may get this chat id after its owner has given it up: a phone number or a username, but no id
 * of the messenger's own.
 */
export function isReassignable(chatType: string, chatId: string): boolean {
  const { idForm = "own", hiddenIds } = traitsOf(chatType) ?? {};
  return idForm !== "own" && hiddenIds?.test(chatId) !== true;
}

/** Without one leading @. */
function normalUsername(username: string): string {
  return username.startsWith("@") ? username.slice(1) : username;
}

/** The same names in normal form. An invalid name is left unchanged. */
export function normalNames<T extends ChatNames>(chat: T): T {
  const { chatType, chatId, username, phone } = chat;
  return {
    ...chat,
    ...(chatId == null ? {} : { chatId: normalChatId(chatType, chatId) ?? chatId }),
    ...(username == null ? {} : { username: normalUsername(username) }),
    ...(phone == null ? {} : { phone: normalPhone(phone) ?? phone }),
  };
}

/** The names that are invalid for their field. */
export function invalidNames({ chatType, chatId, username, phone }: ChatNames): (keyof ChatNames)[] {
  return [
    ...(chatId != null && normalChatId(chatType, chatId) === null ? (["chatId"] as const) : []),
    ...(username != null && normalUsername(username) === "" ? (["username"] as const) : []),
    ...(phone != null && normalPhone(phone) === null ? (["phone"] as const) : []),
  ];
}

/** The error message for an invalid name. */
export function invalidNameMessage(name: keyof ChatNames): string {
  if (name === "username") return "must not be empty";
  return name === "phone" ? PHONE_RULE : "must be an id of this chat type";
}
export const PHONE_RULE = "must be a phone number with its country code, 5 to 15 digits";
