import { AppError } from "../errors.ts";
import type { KeyboardShape } from "../transport/definition.ts";
import type { InlineButton, InteractiveButton, Keyboard, RowButton } from "../transport/keyboard.ts";

const MAX_INTERACTIVE = 10;
const MAX_INTERACTIVE_LABEL = 20;
const MAX_MARKUP = 12;
const MAX_MARKUP_LABEL = 64;
const MAX_CALLBACK_BYTES = 64;

type Json = Readonly<Record<string, unknown>>;
interface Fault {
  readonly field: string;
  readonly message: string;
}

export interface KeyboardRules {
  readonly shape: KeyboardShape | null;
  /** In UTF-16 code units; if absent, only the interface's limits apply. */
  readonly maxPayloadLength?: number | undefined;
  /** As in v3: a button with an overlong label is rejected; otherwise it is left out. */
  readonly refusesLongLabels?: boolean;
  /** As in v3: an interactive button without a payload gets its number as payload, counted from 1. */
  readonly numbersButtons?: boolean;
}

/**
 * Parses the keyboard of a request by the shape of the transport. The limits are the interface's: extra buttons are
 * ignored and buttons with an overlong label left out; wrong types and overlong payloads cause a 400 that names each
 * invalid field. Returns undefined if no button is left.
 */
export function parseKeyboard(rules: KeyboardRules, given: unknown): Keyboard | undefined {
  const { shape } = rules;
  const raw = rules.numbersButtons === true && shape === "interactive" ? withNumbers(given) : given;
  if (shape === null) {
    throw new AppError("MESSAGE_KEYBOARD_INVALID", {
      description: "Channels of this transport have no keyboards",
    });
  }
  const faults: Fault[] = [];
  const keyboard = isJson(raw) ? PARSERS[shape](raw, faults) : undefined;
  if (!isJson(raw)) faults.push({ field: "keyboard", message: "must be an object" });
  else checkLengths({ ...rules, shape }, raw, faults);
  if (faults.length > 0) throw new AppError("MESSAGE_KEYBOARD_INVALID", { data: { fields: faults } });
  return keyboard;
}

/** Buttons may be in rows. */
function withNumbers(raw: unknown): unknown {
  if (!isJson(raw) || !Array.isArray(raw["buttons"])) return raw;
  let number = 0;
  const numbered = (button: unknown): unknown => {
    if (Array.isArray(button)) return button.map(numbered);
    number++;
    return isJson(button) && button["payload"] == null ? { ...button, payload: String(number) } : button;
  };
  return { ...raw, buttons: raw["buttons"].map(numbered) };
}

const MAX_BUTTONS: Readonly<Record<KeyboardShape, number>> = {
  interactive: MAX_INTERACTIVE,
  markup: MAX_MARKUP,
  rows: Number.POSITIVE_INFINITY,
};
const MAX_LABEL: Readonly<Record<KeyboardShape, number>> = {
  interactive: MAX_INTERACTIVE_LABEL,
  markup: MAX_MARKUP_LABEL,
  rows: Number.POSITIVE_INFINITY,
};

/** Checks the payloads of the buttons that count, and their labels if overlong ones are rejected. */
function checkLengths(
  {
    shape,
    maxPayloadLength = Number.POSITIVE_INFINITY,
    refusesLongLabels,
  }: KeyboardRules & { shape: KeyboardShape },
  raw: Json,
  faults: Fault[],
): void {
  if (!Array.isArray(raw["buttons"])) return;
  for (const { button, field } of buttonRows(raw, [], MAX_BUTTONS[shape]).flat()) {
    const { text: label, payload, callback_data: data } = button;
    if (refusesLongLabels && typeof label === "string" && characters(label) > MAX_LABEL[shape])
      faults.push({ field: `${field}.text`, message: `must have at most ${MAX_LABEL[shape]} characters` });
    if (typeof payload === "string" && payload.length > maxPayloadLength)
      faults.push({ field: `${field}.payload`, message: `must have at most ${maxPayloadLength} characters` });
    if (shape === "markup" && typeof data === "string" && !isCallbackData(data))
      faults.push({
        field: `${field}.callback_data`,
        message: `must have 1 to ${MAX_CALLBACK_BYTES} bytes`,
      });
  }
}

const PARSERS: Record<KeyboardShape, (raw: Json, faults: Fault[]) => Keyboard | undefined> = {
  interactive(raw, faults) {
    const buttons = buttonRows(raw, faults, MAX_INTERACTIVE)
      .flat()
      .map(({ button, field }) => interactiveButton(button, field, faults));
    const usable = buttons.filter(({ text: label }) => characters(label) <= MAX_INTERACTIVE_LABEL);
    return usable.length === 0 ? undefined : { kind: "interactive", buttons: usable };
  },

  markup(raw, faults) {
    const oneTime = flag(raw, "one_time_keyboard", faults);
    const resize = flag(raw, "resize_keyboard", faults);
    const selective = flag(raw, "selective", faults);
    if (flag(raw, "remove_keyboard", faults)) return { kind: "remove", selective };
    const markup = raw["reply_markup"] ?? "inline";
    if (markup === "inline") return inlineKeyboard(raw, faults);
    if (markup === "reply") return replyKeyboard(raw, faults, { oneTime, resize, selective });
    faults.push({ field: "keyboard.reply_markup", message: 'must be "inline" or "reply"' });
    return undefined;
  },

  rows(raw, faults) {
    const rows = buttonRows(raw, faults).map((row) =>
      row.map(({ button, field }) => rowButton(button, field, faults)),
    );
    const usable = withoutEmpty(rows);
    return usable.length === 0 ? undefined : { kind: "rows", rows: usable };
  },
};

function interactiveButton(button: Json, field: string, faults: Fault[]): InteractiveButton {
  const label = text(button, "text", field, faults);
  const payload = text(button, "payload", field, faults);
  optionalText(button, "type", field, faults);
  return { text: label, payload };
}

function inlineKeyboard(raw: Json, faults: Fault[]): Keyboard | undefined {
  const rows = buttonRows(raw, faults, MAX_MARKUP).map((row) =>
    row.map(({ button, field }) => inlineButton(button, field, faults)),
  );
  const usable = withoutEmpty(rows.map((row) => row.filter(isSendableInline)));
  return usable.length === 0 ? undefined : { kind: "inline", rows: usable };
}

function replyKeyboard(
  raw: Json,
  faults: Fault[],
  options: { readonly oneTime: boolean; readonly resize: boolean; readonly selective: boolean },
): Keyboard | undefined {
  const rows = buttonRows(raw, faults, MAX_MARKUP).map((row) =>
    row.map(({ button, field }) => ({ text: text(button, "text", field, faults) })),
  );
  const usable = withoutEmpty(
    rows.map((row) => row.filter(({ text: label }) => characters(label) <= MAX_MARKUP_LABEL)),
  );
  return usable.length === 0 ? undefined : { kind: "reply", rows: usable, ...options };
}

function inlineButton(button: Json, field: string, faults: Fault[]): InlineButton {
  const label = text(button, "text", field, faults);
  const url = optionalText(button, "url", field, faults);
  const payload = optionalText(button, "callback_data", field, faults);
  if (url !== undefined && payload !== undefined) {
    faults.push({ field, message: "takes either url or callback_data" });
  }
  if (url === undefined && payload === undefined)
    faults.push({ field, message: "needs url or callback_data" });
  if (url !== undefined && !URL.canParse(url))
    faults.push({ field: `${field}.url`, message: "must be a URL" });
  return url === undefined ? { text: label, payload: payload ?? "" } : { text: label, url };
}

function isSendableInline({ text: label, payload }: InlineButton): boolean {
  return characters(label) <= MAX_MARKUP_LABEL && (payload === undefined || isCallbackData(payload));
}

function isCallbackData(data: string): boolean {
  const bytes = Buffer.byteLength(data);
  return bytes >= 1 && bytes <= MAX_CALLBACK_BYTES;
}

const ROW_TYPES = ["callback", "link", "message"] as const;
const INTENTS = ["default", "positive", "negative"] as const;

function rowButton(button: Json, field: string, faults: Fault[]): RowButton {
  const type = oneOf(button, "type", ROW_TYPES, field, faults) ?? "message";
  const label = text(button, "text", field, faults);
  const intent = button["intent"] == null ? undefined : oneOf(button, "intent", INTENTS, field, faults);
  const payload =
    type === "callback"
      ? text(button, "payload", field, faults)
      : optionalText(button, "payload", field, faults);
  const url =
    type === "link" ? text(button, "url", field, faults) : optionalText(button, "url", field, faults);
  return {
    type,
    text: label,
    ...(payload === undefined ? {} : { payload }),
    ...(intent === undefined ? {} : { intent }),
    ...(url === undefined ? {} : { url }),
  };
}

function withoutEmpty<B>(rows: readonly (readonly B[])[]): (readonly B[])[] {
  return rows.filter((row) => row.length > 0);
}

/** User-perceived characters: an emoji counts as one, though it has two UTF-16 code units. */
function characters(label: string): number {
  return [...label].length;
}

/**
 * The first `most` buttons over all rows, with their positions; later ones are not read. A flat list means one button
 * per row; a list of lists gives the rows.
 */
function buttonRows(
  raw: Json,
  faults: Fault[],
  max = Number.POSITIVE_INFINITY,
): { button: Json; field: string }[][] {
  let left = max;
  return buttonList(raw, faults).map((entry, row) => {
    const field = `keyboard.buttons[${row}]`;
    const inRow = placesOf(entry, field).slice(0, left);
    left -= inRow.length;
    return inRow.map((place) => ({ button: asButton(place.raw, place.field, faults), field: place.field }));
  });
}

function placesOf(entry: unknown, field: string): { raw: unknown; field: string }[] {
  if (!Array.isArray(entry)) return [{ raw: entry, field }];
  return entry.map((raw: unknown, column) => ({ raw, field: `${field}[${column}]` }));
}

function buttonList(raw: Json, faults: Fault[]): unknown[] {
  const buttons = raw["buttons"];
  if (Array.isArray(buttons)) return buttons;
  faults.push({ field: "keyboard.buttons", message: buttons == null ? "is required" : "must be an array" });
  return [];
}

function asButton(raw: unknown, field: string, faults: Fault[]): Json {
  if (isJson(raw)) return raw;
  faults.push({ field, message: "must be an object" });
  return { text: "-", payload: "-", type: "message", callback_data: "-" };
}

function text(from: Json, key: string, field: string, faults: Fault[]): string {
  const value = from[key];
  if (typeof value === "string" && value !== "") return value;
  faults.push({
    field: `${field}.${key}`,
    message: value == null ? "is required" : "must be a non-empty string",
  });
  return "";
}

function optionalText(from: Json, key: string, field: string, faults: Fault[]): string | undefined {
  const value = from[key];
  if (value == null) return undefined;
  if (typeof value === "string") return value;
  faults.push({ field: `${field}.${key}`, message: "must be a string" });
  return undefined;
}

function oneOf<const T extends readonly string[]>(
  from: Json,
  key: string,
  allowed: T,
  field: string,
  faults: Fault[],
): T[number] | undefined {
  const value = from[key];
  const found = allowed.find((each) => each === value);
  if (found === undefined)
    faults.push({ field: `${field}.${key}`, message: `must be one of ${allowed.join(", ")}` });
  return found;
}

function flag(from: Json, key: string, faults: Fault[]): boolean {
  const value = from[key];
  if (value == null) return false;
  if (typeof value === "boolean") return value;
  faults.push({ field: `keyboard.${key}`, message: "must be true or false" });
  return false;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
