import { type TProperties, Type } from "typebox";

/**
 * Buttons of every transport in one shape. Which fields count, their limits and what is required depends on the
 * transport; core knows. A field that belongs to another transport's buttons is ignored.
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
    Type.String({ description: "wapi, and maxbot where type is callback: what a press sends back" }),
  ),
  url: Type.Optional(
    Type.String({ description: "telegram inline, and maxbot where type is link: opened by a press" }),
  ),
  callback_data: Type.Optional(
    Type.String({ description: "telegram inline: what a press sends back, 1 to 64 bytes" }),
  ),
  intent: Type.Optional(Type.String({ description: "maxbot: default, positive or negative" })),
};

/** Buttons of a message, or rows, or buttons of a row; messengers take fewer. */
export const MAX_BUTTONS = 250;
/** Values of a template; its texts have room for fewer variables. */
export const MAX_TEMPLATE_VALUES = 1_000;

type Button = Readonly<Record<string, string>>;

const DESCRIPTION =
  "A list of buttons is one button per row; a list of lists is rows. " +
  "telegram takes the first 12 buttons, wapi the first 10; maxbot wants rows";

/** A list whose entries are buttons or rows of them. `strict`: a field that no button has is a fault. */
export function buttonList(fields: TProperties, { strict }: { readonly strict: boolean }) {
  return Type.Array(buttonOrRow(fields, { strict }), {
    maxItems: MAX_BUTTONS,
    description: DESCRIPTION,
  });
}

// One schema for both instead of a union, so that a faulty field is named and not only its button.
export function buttonOrRow(fields: TProperties, { strict }: { readonly strict: boolean }) {
  const button = Type.Object(fields, strict ? { additionalProperties: false } : {});
  const { properties, additionalProperties } = button as typeof button & { additionalProperties?: boolean };
  return Type.Unsafe<Button | readonly Button[]>({
    type: ["object", "array"],
    properties,
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
    items: button,
    maxItems: MAX_BUTTONS,
  });
}
