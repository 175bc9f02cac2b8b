import type { tl } from "@mtcute/core";
import { Fields, invalid, isRecord } from "../../http/fields.ts";

/** `buttons`: rows of `{text, url?|data?}` under a message; `keyboard`: rows of texts that replace the keyboard. */
export function readMarkup(body: Fields): tl.TypeReplyMarkup | undefined {
  const buttons = body.list("buttons");
  const keyboard = body.list("keyboard");
  if (buttons) return { _: "replyInlineMarkup", rows: buttons.map((row) => readRow(row, inlineButton)) };
  if (!keyboard) return undefined;
  return { _: "replyKeyboardMarkup", resize: true, rows: keyboard.map((row) => readRow(row, textButton)) };
}

function readRow(row: unknown, read: (value: unknown) => tl.TypeKeyboardButton): tl.RawKeyboardButtonRow {
  if (!Array.isArray(row)) throw invalid("buttons", "a list of rows");
  return { _: "keyboardButtonRow", buttons: row.map(read) };
}

function inlineButton(value: unknown): tl.TypeKeyboardButton {
  const fields = new Fields(isRecord(value) ? value : { text: String(value) });
  const text = fields.needText("text");
  const url = fields.text("url");
  if (url !== undefined) return { _: "keyboardButtonUrl", text, url };
  return { _: "keyboardButtonCallback", text, data: Buffer.from(fields.text("data") ?? text) };
}

function textButton(value: unknown): tl.TypeKeyboardButton {
  return { _: "keyboardButton", text: String(value) };
}
