import { StrictFields } from "../../http/strict-fields.ts";
import { badPayload } from "../call/api-error.ts";
import { fieldErrors } from "../call/call.ts";

/** A button of a keyboard, in the API's format. */
export type Button = Readonly<Record<string, unknown>> & { readonly type: string; readonly text: string };

/** https://dev.max.ru/docs-api, "Keyboard of a chat bot". */
const maxButtons = 210;
const maxRows = 30;
const maxPerRow = 7;
/** The maximum in a row with a button that leaves the chat or requests data. */
const maxWidePerRow = 3;
const maxTextCharacters = 128;

/**
 * The fields of each type besides `type` and `text`. The `intent` of older versions is accepted and has no effect.
 */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  callback: ["payload", "intent"],
  link: ["url"],
  message: [],
  request_contact: [],
  request_geo_location: ["quick"],
  open_app: ["web_app", "contact_id", "payload"],
  clipboard: ["payload"],
};
const wideTypes: ReadonlySet<string> = new Set([
  "link",
  "open_app",
  "request_contact",
  "request_geo_location",
]);
const intents = ["default", "positive", "negative"] as const;

/** Reads `{buttons: [[Button]]}`. */
export function readKeyboard(payload: StrictFields): readonly (readonly Button[])[] {
  const rows = payload.list("buttons");
  if (!rows || rows.length === 0) throw payload.missing("buttons");
  if (rows.length > maxRows) throw badPayload("Key: errors.maxRows");
  const keyboard = rows.map(readRow);
  if (keyboard.flat().length > maxButtons) throw badPayload("Key: errors.maxButtons");
  return keyboard;
}

function readRow(row: unknown, index: number): readonly Button[] {
  const path = `payload.buttons[${index}]`;
  if (!Array.isArray(row)) throw fieldErrors.wrongType(path, "an array");
  const buttons = row.map((button, column) => readButton(button, `${path}[${column}].`));
  const limit = buttons.some(({ type }) => wideTypes.has(type)) ? maxWidePerRow : maxPerRow;
  if (buttons.length > limit) throw badPayload("Key: errors.maxButtonsInRow");
  return buttons;
}

function readButton(value: unknown, path: string): Button {
  const type = new StrictFields(value, allButtonFields, fieldErrors, path).needText("type");
  const own = fieldsOf[type];
  if (!own) throw badPayload(`Unknown button type '${type}'`);
  const fields = new StrictFields(value, ["type", "text", ...own], fieldErrors, path);
  const text = limited(fields, "text", maxTextCharacters) ?? "";
  if (text === "") throw fields.missing("text");
  return { type, text, ...readOwn(type, fields) };
}

const allButtonFields = ["type", "text", ...new Set(Object.values(fieldsOf).flat())];

function readOwn(type: string, fields: StrictFields): Readonly<Record<string, unknown>> {
  switch (type) {
    case "callback":
      fields.oneOf("intent", intents);
      return { payload: limited(fields, "payload", 1024) ?? fail(fields.missing("payload")) };
    case "clipboard":
      return { payload: limited(fields, "payload", 1024) ?? fail(fields.missing("payload")) };
    case "link": {
      const url = limited(fields, "url", 2048) ?? fail(fields.missing("url"));
      if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) throw badPayload("Invalid URL of a link button");
      return { url };
    }
    case "request_geo_location":
      return { quick: fields.flag("quick") ?? false };
    case "open_app":
      return readApp(fields);
    default:
      return {};
  }
}

function readApp(fields: StrictFields): Readonly<Record<string, unknown>> {
  const webApp = fields.text("web_app");
  const contactId = fields.integer("contact_id");
  const payload = limited(fields, "payload", 512);
  // The platform's own text, seen in a client's report.
  if (webApp === undefined && contactId === undefined) throw badPayload("Field 'webApp' cannot be null");
  return {
    ...(webApp !== undefined && { web_app: webApp }),
    ...(contactId !== undefined && { contact_id: contactId }),
    ...(payload !== undefined && { payload }),
  };
}

function limited(fields: StrictFields, name: string, characters: number): string | undefined {
  const value = fields.text(name);
  if (value !== undefined && value.length > characters)
    throw badPayload(`${name}: size must be between 0 and ${characters}`);
  return value;
}

function fail(error: Error): never {
  throw error;
}
