import { type Static, Type } from "typebox";
import type { Attachment } from "../../../core/content.ts";
import { CHAT_TYPES } from "../../../core/transport/definition.ts";
import { buttonFields, buttonList, MAX_BUTTONS, MAX_TEMPLATE_VALUES } from "../../message/keyboard-shape.ts";
import { voiceShape } from "../../message/voice-shape.ts";
import { patterned, strictObject, uuidText } from "../../schema/shapes.ts";

export const recipientShape = strictObject(
  {
    chat_type: Type.Enum([...CHAT_TYPES], { description: "Kind of chat; must fit the channel's transport" }),
    chat_id: Type.Optional(
      patterned("printable", {
        maxLength: 255,
        description:
          "The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram",
      }),
    ),
    username: Type.Optional(
      patterned("printable", {
        maxLength: 255,
        description: "telegram only: used if chat_id is unknown",
      }),
    ),
    phone: Type.Optional(
      patterned("printable", {
        maxLength: 255,
        description: "telegram and max only, with its country code: used if chat_id is unknown",
      }),
    ),
    crm_contact_name: Type.Optional(
      Type.String({ maxLength: 1_000, description: "Name of the contact in the CRM" }),
    ),
  },
  {
    title: "SendRecipient",
    description: "The recipient: chat_id, or username or phone if the messenger supports them",
  },
);

export const attachmentShape = strictObject(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: "Direct http or https link to the file, at most 50 MB, on a public address",
    }),
    name: Type.Optional(Type.String({ maxLength: 255, description: "File name shown to the recipient" })),
    mimetype: Type.Optional(
      patterned("mimeType", {
        maxLength: 255,
        description: "MIME type; default: as stated by the file's host",
      }),
    ),
    size: Type.Optional(
      Type.Number({ minimum: 0, description: "Bytes; another size is reported as WRONG_CONTENT" }),
    ),
    sha1: Type.Optional(
      patterned("sha1", { description: "SHA-1 in hex; another file is reported as WRONG_CONTENT" }),
    ),
    voice: Type.Optional(voiceShape),
  },
  { title: "SendAttachment", description: "A file" },
);

export const templateButtonShape = strictObject(
  {
    text: Type.Optional(Type.String({ description: "Label; the template has its own" })),
    type: Type.Optional(Type.String({ description: "text" })),
    payload: Type.String({ description: "The data sent back when the button is pressed" }),
  },
  { title: "SendTemplateButton" },
);

export const templateShape = strictObject(
  {
    id: patterned("uuid", { description: "Id of the template (templateGuid)" }),
    values: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_TEMPLATE_VALUES,
        description: "Values of the template's variables, in order",
      }),
    ),
    buttons: Type.Optional(
      Type.Array(templateButtonShape, {
        maxItems: MAX_BUTTONS,
        description: "Payloads of the template's buttons, in order",
      }),
    ),
  },
  { title: "SendTemplate", description: "A template of the WhatsApp Business Platform" },
);

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Core checks which transport supports which keyboard; fields that no transport has are errors. */
export const keyboardShape = strictObject(
  {
    buttons: Type.Optional(buttonList(buttonFields, { strict: true })),
    reply_markup: Type.Optional(Type.String({ description: "telegram: inline (default) or reply" })),
    one_time_keyboard: flag("telegram reply: hidden after use"),
    resize_keyboard: flag("telegram reply: resized to fit its buttons"),
    selective: flag("telegram reply: shown only to the addressed people"),
    remove_keyboard: flag("telegram: removes the reply keyboard"),
  },
  { title: "SendKeyboard", description: "Buttons under the message; their shape depends on the transport" },
);

export const emojiShape = Type.String({
  description: "One emoji that the messenger offers",
  maxLength: 32,
  examples: ["👍"],
});

/** The response to an edit, deletion or reaction. */
export const changedShape = Type.Object(
  {
    message_id: uuidText({ description: "The message" }),
    chat_id: Type.String({ description: "Its chat in the messenger" }),
  },
  { title: "ChangedMessage" },
);

/** `{id}` of a message in a path. */
export const messagePath = Type.Object({ id: Type.String({ description: "Id of the message" }) });

export function attachmentOf({ mimetype, ...rest }: Static<typeof attachmentShape>): Attachment {
  return mimetype === undefined ? rest : { ...rest, mimeType: mimetype };
}
