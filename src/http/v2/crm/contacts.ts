import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import {
  checkContacts,
  contactAnswerSchema,
  contactChatSchema,
  contactSchema,
  MAX_CHATS,
} from "../../../core/crm/contact.ts";
import {
  changeContacts,
  getContact,
  listContacts,
  removeContacts,
  saveContacts,
} from "../../../core/crm/contacts.ts";
import { snakeCase, withCamelKeys } from "../../../platform/foreign/snake-case.ts";
import type { App } from "../../app.ts";
import { strictObject } from "../../schema/shapes.ts";
import { entityRoutes } from "./entity-routes.ts";

const chat = contactChatSchema.properties;
const of = contactSchema.properties;
const item = strictObject(
  {
    id: of.id,
    responsible_user_id: of.responsibleUserId,
    name: of.name,
    contact_data: Type.Array(
      strictObject(
        {
          chat_type: chat.chatType,
          chat_id: chat.chatId,
          username: chat.username,
          phone: chat.phone,
        },
        { title: "ContactChat" },
      ),
      { maxItems: MAX_CHATS },
    ),
    uri: of.uri,
  },
  { title: "NewContact" },
);
const { id, responsible_user_id, name, contact_data, uri } = item.properties;
const change = strictObject(
  {
    id,
    responsible_user_id: Type.Optional(responsible_user_id),
    name: Type.Optional(name),
    contact_data: Type.Optional(contact_data),
    uri,
  },
  { title: "ContactChange" },
);

const answer = strictObject(
  {
    ...item.properties,
    id: contactAnswerSchema.properties.id,
    responsible_user_id: contactAnswerSchema.properties.responsibleUserId,
  },
  { title: "Contact" },
);

/** `/v2/contacts` and what is below it. */
export function contactRoutes(app: App, core: Core): void {
  entityRoutes(app, core, {
    name: "contacts",
    one: "Contact",
    many: "Contacts",
    id: of.id,
    item,
    change,
    answer,
    missing: "CONTACT_NOT_FOUND",
    faulty: "INVALID_CONTACTS_DATA",
    refusals: ["QUOTA_EXCEEDED"],
    check: (contacts) => checkContacts(withCamelKeys(contacts), snakeCase),
    list: async (core, scope, offset) => (await listContacts(core, scope, offset)).data,
    find: getContact,
    save: (core, scope, contacts) => saveContacts(core, scope, withCamelKeys(contacts)),
    update: (core, scope, changes) => changeContacts(core, scope, withCamelKeys(changes)),
    remove: removeContacts,
  });
}
