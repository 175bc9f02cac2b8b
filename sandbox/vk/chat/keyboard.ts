import { isRecord } from "../../http/fields.ts";
import type { Params } from "../call/param.ts";
import { VkError } from "../call/vk-error.ts";
import type { Button, Keyboard } from "../shape.ts";

/** https://dev.vk.com/ru/api/bots/development/keyboard */
const maxColumns = 5;
const limits = {
  standard: { rows: 10, buttons: 40 },
  inline: { rows: 6, buttons: 10 },
} as const;
const maxLabel = 40;
const maxPayload = 255;
const colors = ["primary", "secondary", "positive", "negative", "default"];

/** Fields of an action by its type; marked ones are required. */
const actions: Readonly<Record<string, readonly string[]>> = {
  text: ["label!", "payload"],
  callback: ["label!", "payload"],
  open_link: ["link!", "label!", "payload"],
  location: ["payload"],
  vkpay: ["hash!", "payload"],
  open_app: ["app_id!", "owner_id", "hash", "label!", "payload"],
};
/** Buttons of these types take a whole row. */
const wide = ["location", "vkpay", "open_app"];
/** Only these are coloured. */
const colored = ["text", "callback"];

type Raw = Readonly<Record<string, unknown>>;

function invalid(detail: string): VkError {
  return new VkError(911, detail);
}

/** Parses the parameter `keyboard`; undefined if absent. Unknown field names are recorded. */
export function readKeyboard(params: Params, authorId: number): Keyboard | undefined {
  const value = params.json("keyboard");
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw invalid("keyboard should be array");
  const { one_time: oneTime, inline, buttons } = value;
  if (!Array.isArray(buttons)) throw invalid("buttons should be array");
  noteUnknown(params, value, "keyboard", ["one_time", "inline", "buttons", "author_id"]);
  const isInline = inline === true;
  if (isInline && oneTime === true) throw invalid("inline keyboard can't be one_time");
  const limit = limits[isInline ? "inline" : "standard"];
  if (buttons.length > limit.rows) throw invalid("keyboard contains too much rows");
  const rows = buttons.map((row: unknown, index) => readRow(params, row, index));
  if (rows.flat().length > limit.buttons) throw invalid("keyboard contains too much buttons");
  return { one_time: oneTime === true, inline: isInline, author_id: authorId, buttons: rows };
}

function readRow(params: Params, row: unknown, index: number): Button[] {
  if (!Array.isArray(row) || row.length === 0) throw invalid(`row ${index} should be array`);
  if (row.length > maxColumns) throw invalid(`row ${index} contains too much columns`);
  const buttons = row.map((button: unknown, column) => readButton(params, button, `[${index}][${column}]`));
  const lonely = buttons.find(({ action }) => wide.includes(action.type));
  if (lonely && buttons.length > 1)
    throw invalid(`button of type ${lonely.action.type} should be alone in row ${index}`);
  return buttons;
}

function readButton(params: Params, value: unknown, place: string): Button {
  const action = isRecord(value) ? value["action"] : undefined;
  if (!isRecord(value) || !isRecord(action)) throw invalid(`button ${place} action is undefined`);
  const type = String(action["type"] ?? "");
  const fields = actions[type];
  if (!fields) throw invalid(`button ${place} action type is invalid`);
  noteUnknown(params, value, `keyboard.buttons${place}`, ["action", "color"]);
  const known = fields.map((field) => field.replace("!", ""));
  noteUnknown(params, action, `keyboard.buttons${place}.action`, ["type", ...known]);
  for (const field of fields) {
    const isMissing = action[field.slice(0, -1)] === undefined;
    if (field === "label!") checkLabel(action["label"], place);
    else if (field.endsWith("!") && isMissing)
      throw invalid(`button ${place} ${field.slice(0, -1)} is undefined`);
  }
  const payload = readPayload(action["payload"], place);
  const color = readColor(value["color"], type, place);
  return {
    action: { ...pick(action, known), type, ...(payload !== undefined && { payload }) },
    ...(color !== undefined && { color }),
  };
}

function checkLabel(label: unknown, place: string): void {
  const length = typeof label === "string" ? [...label].length : 0;
  if (length < 1) throw invalid(`button ${place} label should be at least 1 letters length`);
  if (length > maxLabel) throw invalid(`button ${place} label should be maximum ${maxLabel} letters length`);
}

/** JSON as text, as documented, or the object itself, which VK also accepts. */
function readPayload(payload: unknown, place: string): string | undefined {
  if (payload === undefined) return undefined;
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  if (payload === null || !isJson(text)) throw invalid(`button ${place} payload should be a valid JSON`);
  if ([...text].length > maxPayload) {
    throw invalid(`button ${place} payload should be maximum ${maxPayload} letters length`);
  }
  return text;
}

function readColor(color: unknown, type: string, place: string): string | undefined {
  if (color === undefined || !colored.includes(type)) return undefined;
  if (typeof color === "string" && colors.includes(color)) return color;
  throw invalid(`button ${place} color is invalid`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function pick(source: Raw, names: readonly string[]): Raw {
  return Object.fromEntries(names.filter((name) => name in source).map((name) => [name, source[name]]));
}

function noteUnknown(params: Params, value: Raw, place: string, known: readonly string[]): void {
  for (const name of Object.keys(value)) if (!known.includes(name)) params.unknown.push(`${place}.${name}`);
}
