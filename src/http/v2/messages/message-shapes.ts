import { type Static, Type } from "typebox";
import type { Attachment } from "../../../core/message/content.ts";
import { CHAT_TYPES } from "../../../core/transport/definition.ts";
import { patterned, strictObject } from "../../shapes.ts";

export const recipientShape = strictObject({
  chat_type: Type.Enum([...CHAT_TYPES]),
  chat_id: Type.Optional(patterned("printable", { maxLength: 255 })),
  username: Type.Optional(patterned("printable", { maxLength: 255 })),
  phone: Type.Optional(patterned("digits")),
  crm_contact_name: Type.Optional(Type.String({ maxLength: 1_000 })),
});

export const attachmentShape = strictObject({
  url: Type.String({ minLength: 1, maxLength: 4_096 }),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  mimetype: Type.Optional(patterned("mimeType", { maxLength: 255 })),
  size: Type.Optional(Type.Number({ minimum: 0 })),
  sha1: Type.Optional(patterned("sha1")),
});

export const templateButtonShape = strictObject({
  text: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  payload: Type.String(),
});

export const templateShape = strictObject({
  id: patterned("uuid"),
  values: Type.Optional(Type.Array(Type.String())),
  buttons: Type.Optional(Type.Array(templateButtonShape)),
});

/** A change's or removal's answer. */
export const changedShape = Type.Object({ message_id: Type.String(), chat_id: Type.String() });

/** `{id}` of a message in a path. */
export const messagePath = Type.Object({ id: Type.String({ description: "Id of the message" }) });

export function attachmentOf({ mimetype, ...rest }: Static<typeof attachmentShape>): Attachment {
  return mimetype === undefined ? rest : { ...rest, mimeType: mimetype };
}
