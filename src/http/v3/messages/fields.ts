import { AppError } from "../../../core/errors.ts";
import type { FieldFault } from "../../schema/fields.ts";

/** Fields whose names differ between core (v2) and v3; the longest first. */
const NAMES: readonly (readonly [string, string])[] = [
  ["recipient.chat_id", "chatId"],
  ["recipient.", ""],
  ["attachment.url", "contentUri"],
  ["keyboard.reply_markup", "buttonsObject.replyMarkup"],
  ["keyboard.one_time_keyboard", "buttonsObject.oneTimeKeyboard"],
  ["keyboard.resize_keyboard", "buttonsObject.resizeKeyboard"],
  ["keyboard.remove_keyboard", "buttonsObject.removeKeyboard"],
  ["keyboard", "buttonsObject"],
];

/** Runs the work; errors of core name the fields in the client's spelling. */
export async function inV3Names<T>(
  body: { readonly buttonsObject?: unknown },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { fields } = (error.data ?? {}) as { fields?: readonly FieldFault[] };
    if (fields === undefined) throw error;
    const isList = Array.isArray(body.buttonsObject);
    throw new AppError(error.code, {
      description: error.message,
      data: { fields: fields.map((fault) => ({ ...fault, field: renamed(fault.field, isList) })) },
    });
  }
}

function renamed(field: string, isList: boolean): string {
  const [v2, v3] = NAMES.find(([name]) => field.startsWith(name)) ?? ["", ""];
  const name = (v3 + field.slice(v2.length)).replace(".callback_data", ".callbackData");
  return isList ? name.replace("buttonsObject.buttons", "buttonsObject") : name;
}
