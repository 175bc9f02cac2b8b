import { isRecord } from "../../http/fields.ts";
import { badRequest } from "../call/api-error.ts";
import type { Arguments } from "../call/arguments.ts";
import type { ReplyKeyboard } from "../chat/chat.ts";
import type { InlineButton, InlineKeyboard } from "../shape.ts";

/** The parsed `reply_markup`. `keyboard`: null removes the current one, undefined keeps it. */
export interface Markup {
  readonly inline?: InlineKeyboard;
  readonly keyboard?: ReplyKeyboard | null;
}

const none: Markup = {};

/** https://core.telegram.org/bots/api#inlinekeyboardbutton: exactly one of these besides the text. */
const actions = [
  "url",
  "callback_data",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
  "copy_text",
  "callback_game",
  "pay",
] as const;

/** Fields for the appearance of a button. */
const looks = ["icon_custom_emoji_id", "style"] as const;
const styles: readonly unknown[] = ["danger", "success", "primary"];

const maxButtons = 300;
const maxMarkupBytes = 10_000;

/** Parses `reply_markup` and throws the official server's error for an invalid one. */
export function readMarkup(args: Arguments): Markup {
  const value = args.json("reply_markup", "reply keyboard markup");
  if (value === undefined) return none;
  if (!isRecord(value)) throw badRequest("object expected as reply markup");
  const { keyboard, inline_keyboard: inline } = value;
  if (keyboard !== undefined) {
    const rows = readRows(keyboard, "keyboard", "ReplyKeyboardMarkup").map((row) =>
      row.map(readKeyboardButton),
    );
    if (hasButtons(rows)) return { keyboard: { rows, oneTime: value["one_time_keyboard"] === true } };
  }
  if (inline !== undefined) return readInline(inline, value);
  if (value["remove_keyboard"] === true) return { keyboard: null };
  return none;
}

/** Empty rows are dropped; a keyboard without rows is no keyboard. */
function readInline(inline: unknown, markup: unknown): Markup {
  const rows = readRows(inline, "inline_keyboard", "InlineKeyboardMarkup")
    .map((row) => row.map(readInlineButton))
    .filter((row) => row.length > 0);
  if (!hasButtons(rows)) return none;
  if (rows.flat().length > maxButtons) throw badRequest("reply markup is too long");
  if (JSON.stringify(markup).length > maxMarkupBytes) throw badRequest("reply markup is too long");
  return { inline: { inline_keyboard: rows } };
}

function hasButtons(rows: readonly (readonly unknown[])[]): boolean {
  return rows.some((row) => row.length > 0);
}

function readRows(value: unknown, field: string, type: string): readonly (readonly unknown[])[] {
  if (!Array.isArray(value)) throw badRequest(`field "${field}" of the ${type} must be an Array`);
  return value.map((row: unknown) => {
    if (Array.isArray(row)) return row;
    throw badRequest(`field "${field}" of the ${type} must be an Array of Arrays`);
  });
}

function readKeyboardButton(value: unknown): { readonly text: string } {
  const fault = (reason: string) => badRequest(`can't parse keyboard button: ${reason}`);
  if (typeof value === "string") return { text: value };
  if (!isRecord(value)) throw fault("KeyboardButton must be a String or an Object");
  if (value["text"] === undefined) throw fault('Can\'t find field "text"');
  if (typeof value["text"] !== "string") throw fault('Field "text" must be of type String');
  if (value["text"] === "") throw badRequest("keyboard button text must be non-empty");
  return { text: value["text"] };
}

function readInlineButton(value: unknown): InlineButton {
  const fault = (reason: string) => badRequest(`can't parse inline keyboard button: ${reason}`);
  if (!isRecord(value)) throw fault("InlineKeyboardButton must be an Object");
  const text = value["text"];
  if (text === undefined) throw fault('Can\'t find field "text"');
  if (typeof text !== "string") throw fault('Field "text" must be of type String');
  const given = givenActions(value);
  const action = given[0];
  if (action === undefined) throw fault("Text buttons are unallowed in the inline keyboard");
  if (given.length > 1) throw fault("exactly one of the optional fields must be used");
  if (text === "") throw badRequest("inline keyboard button text must be non-empty");
  checkAction(action, value[action]);
  return { text, [action]: value[action], ...readLooks(value) };
}

/**
 * Empty strings count as absent. An inline query may be empty ("no preset text"), which counts if the button has no
 * other action.
 */
function givenActions(button: Readonly<Record<string, unknown>>): readonly (typeof actions)[number][] {
  const present = actions.filter((action) => button[action] !== undefined && button[action] !== null);
  const filled = present.filter((action) => button[action] !== "");
  return filled.length > 0 ? filled : present.filter((action) => action.startsWith("switch_inline_query"));
}

function checkAction(action: (typeof actions)[number], value: unknown): void {
  if (action === "callback_data") {
    if (typeof value !== "string" || Buffer.byteLength(value) > 64) throw badRequest("BUTTON_DATA_INVALID");
  }
  if (action === "url" && !isButtonUrl(value)) throw badRequest("BUTTON_URL_INVALID");
  if (action === "web_app" && !(isRecord(value) && String(value["url"]).startsWith("https://"))) {
    throw badRequest("BUTTON_URL_INVALID");
  }
}

/** http, https and tg links with a valid host. */
function isButtonUrl(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(withScheme)) return false;
  const { protocol, hostname } = new URL(withScheme);
  if (protocol === "tg:" || protocol === "ton:" || protocol === "tonsite:") return true;
  if (protocol !== "http:" && protocol !== "https:") return false;
  return /^[^.].*\.[^.]+$/.test(hostname) && !/\s/.test(value);
}

function readLooks(button: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const look of looks) {
    if (button[look] === undefined) continue;
    if (look === "style" && !styles.includes(button[look]))
      throw badRequest("invalid button style specified");
    found[look] = button[look];
  }
  return found;
}
