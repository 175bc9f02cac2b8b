import { type TProperties, Type } from "typebox";

/**
 * Buttons of every transport in one schema. Which fields are used and required, and their limits, depends on the
 * transport and is checked by core. Fields of another transport's buttons are ignored.
 */
export const buttonFields = {
  text: Type.Optional(
    Type.String({
      description: "Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent",
    }),
  ),
  type: Type.Optional(
    Type.String({ description: "wapi: text. maxbot: callback, link or message. telegram: none" }),
  ),
  payload: Type.Optional(
    Type.String({
      description: "wapi, and maxbot if type is callback: the data sent back when the button is pressed",
    }),
  ),
  url: Type.Optional(
    Type.String({
      description: "telegram inline, and maxbot if type is link: the address that the button opens",
    }),
  ),
  callback_data: Type.Optional(
    Type.String({
      description: "telegram inline: the data sent back when the button is pressed, 1 to 64 bytes",
    }),
  ),
  intent: Type.Optional(Type.String({ description: "maxbot: default, positive or negative" })),
};

/** The maximum number of buttons of a message, of rows, and of buttons in a row; messengers allow fewer. */
export const MAX_BUTTONS = 250;
/** The maximum number of a template's values, more than its texts have room for. */
export const MAX_TEMPLATE_VALUES = 1_000;

type Button = Readonly<Record<string, string>>;

const DESCRIPTION =
  "A list of buttons is one button per row; a list of lists is rows. " +
  "telegram takes the first 12 buttons, wapi the first 10; maxbot requires rows";

/** A list whose entries are buttons or rows of them. `strict`: unknown fields are errors. */
export function buttonList(fields: TProperties, { strict }: { readonly strict: boolean }) {
  return Type.Array(buttonOrRow(fields, { strict }), {
    maxItems: MAX_BUTTONS,
    description: DESCRIPTION,
  });
}

// One schema for both instead of a union, so that the error names the field and not only the button.
export function buttonOrRow(fields: TProperties, { strict }: { readonly strict: boolean }) {
  const button = Type.Object(fields, { ...(strict ? { additionalProperties: false } : {}), title: "Button" });
  const { properties, additionalProperties } = button as typeof button & { additionalProperties?: boolean };
  return Type.Unsafe<Button | readonly Button[]>({
    type: ["object", "array"],
    properties,
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
    items: button,
    maxItems: MAX_BUTTONS,
  });
}
