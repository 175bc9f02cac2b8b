import { Type } from "typebox";
import { AppError } from "../../../core/errors.ts";
import { buttonFields, buttonList, buttonOrRow, MAX_BUTTONS } from "../../message/keyboard-shape.ts";

const { callback_data, ...sameInBoth } = buttonFields;
const fields = { ...sameInBoth, callbackData: callback_data };
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const keyboardFields = {
  buttons: Type.Optional(buttonList(fields, { strict: false })),
  replyMarkup: Type.Optional(Type.String({ description: "telegram: inline (default) or reply" })),
  oneTimeKeyboard: flag("telegram reply: hidden after use"),
  resizeKeyboard: flag("telegram reply: resized to fit its buttons"),
  selective: flag("telegram reply: shown only to the addressed people"),
  removeKeyboard: flag("telegram: removes the reply keyboard"),
};

type Json = Readonly<Record<string, unknown>>;
type ButtonsObject = Json | readonly unknown[];

/** `buttonsObject`: an object with the buttons and what to do with them, or only the buttons. */
export const buttonsObjectShape = Type.Unsafe<ButtonsObject>({
  type: ["object", "array"],
  description:
    "Buttons under the message; their shape depends on the transport. A list is short for an object with these buttons",
  properties: keyboardFields,
  items: buttonOrRow(fields, { strict: false }),
  maxItems: MAX_BUTTONS,
});

/** In core's form, which is v2's spelling. */
export function keyboardOf(from: ButtonsObject): object {
  if (isList(from)) return { buttons: buttonsOf(from) };
  const { buttons, replyMarkup, oneTimeKeyboard, resizeKeyboard, removeKeyboard, selective } = from;
  return {
    buttons: Array.isArray(buttons) ? buttonsOf(buttons) : buttons,
    reply_markup: replyMarkup,
    one_time_keyboard: oneTimeKeyboard,
    resize_keyboard: resizeKeyboard,
    remove_keyboard: removeKeyboard,
    selective,
  };
}

function buttonsOf(list: readonly unknown[]): unknown[] {
  return list.map((entry) => (Array.isArray(entry) ? entry.map(buttonOf) : buttonOf(entry)));
}

function buttonOf(from: unknown): unknown {
  if (typeof from !== "object" || from === null) return from;
  const { callbackData, ...button } = from as Json;
  return { ...button, ...(callbackData === undefined ? {} : { callback_data: callbackData }) };
}

/** The buttons of a template: their labels are part of the template, so only payloads count. */
export function templateButtonsOf(from: ButtonsObject): { payload: string }[] {
  const list = isList(from) ? from : ((from["buttons"] ?? []) as readonly unknown[]);
  return list.flat().map((button, index) => {
    const { payload } = button as Json;
    if (typeof payload === "string") return { payload };
    const field = isList(from)
      ? `buttonsObject[${index}].payload`
      : `buttonsObject.buttons[${index}].payload`;
    throw new AppError("VALIDATION_ERROR", { data: { fields: [{ field, message: "is required" }] } });
  });
}

function isList(from: ButtonsObject): from is readonly unknown[] {
  return Array.isArray(from);
}
