import { type Static, Type } from "typebox";
import { invalidNames } from "../chat/names.ts";
import { CHAT_TYPE_TRAITS, CHAT_TYPES, type ChatTypeTraits } from "../transport/definition.ts";
import { idOrNumber, idText, MAX_USER_ID_LENGTH, refuseFaulty } from "./entity.ts";

/** Maximum chats of one contact. */
export const MAX_CHATS = 100;

export const contactChatSchema = Type.Object(
  {
    chatType: Type.Enum([...CHAT_TYPES]),
    chatId: Type.Optional(idText(255)),
    /** One leading @ is dropped. */
    username: Type.Optional(idText(255)),
    /** International; stored as digits only. */
    phone: Type.Optional(idText(255)),
  },
  { title: "ContactChat" },
);

/** A contact of the CRM, as the interface spells it in requests and in a CRM's responses to us. */
export const contactSchema = Type.Object(
  {
    id: idOrNumber(100),
    responsibleUserId: idOrNumber(MAX_USER_ID_LENGTH),
    name: Type.String({ maxLength: 200 }),
    contactData: Type.Array(contactChatSchema, { maxItems: MAX_CHATS }),
    /** The contact's address in the CRM. */
    uri: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { title: "NewContact" },
);
/** The same in our responses. */
export const contactAnswerSchema = Type.Object(
  {
    ...contactSchema.properties,
    id: idText(100),
    responsibleUserId: idText(MAX_USER_ID_LENGTH),
  },
  { title: "Contact" },
);
export type Contact = Static<typeof contactSchema>;
export type ContactChat = Static<typeof contactChatSchema>;

/** A change of an existing contact; omitted fields keep their values. */
export type ContactChange = Pick<Contact, "id"> & Partial<Contact>;

/**
 * Throws INVALID_CONTACTS_DATA if a contact breaks a rule that the schema cannot express. `spell` converts a path to
 * the request's spelling. Pure.
 */
export function checkContacts(
  contacts: readonly ContactChange[],
  spell: (path: string) => string = (path) => path,
): void {
  refuseFaulty("INVALID_CONTACTS_DATA", contacts, (contact) => contactFaults(contact).map(spell));
}

/** Paths that break a rule which the schema cannot express. Pure. */
export function contactFaults({ contactData = [] }: ContactChange): string[] {
  return contactData.flatMap((chat, index) =>
    chatFaults(chat).map((field) => `contactData[${index}].${field}`),
  );
}

/** Fields of the chat that break the interface's rules for its type. */
function chatFaults(chat: ContactChat): string[] {
  const isMissing = chat.chatId === undefined && !isFoundWithoutId(chat);
  return isMissing ? ["chatId", ...invalidNames(chat)] : invalidNames(chat);
}

function isFoundWithoutId({ chatType, username, phone }: ContactChat): boolean {
  const { addressBy }: ChatTypeTraits = CHAT_TYPE_TRAITS[chatType];
  return (
    (username !== undefined && addressBy.includes("username")) ||
    (phone !== undefined && addressBy.includes("phone"))
  );
}
