import { StrictFields } from "../http/strict-fields.ts";
import { fieldErrors, refused } from "./status.ts";

/** A button of a keyboard or of a card. */
export interface Button {
  readonly text: string;
  readonly action: "reply" | "open-url" | "share-phone" | "location-picker" | "none";
  readonly body: string;
}

const actions = ["reply", "open-url", "share-phone", "location-picker", "none"] as const;

/** https://developers.viber.com/docs/tools/keyboards/ */
const keyboardFields = [
  "Type",
  "DefaultHeight",
  "BgColor",
  "Buttons",
  "ButtonsGroupColumns",
  "ButtonsGroupRows",
  "CustomDefaultHeight",
  "HeightScale",
  "InputFieldState",
  "FavoritesMetadata",
];
const buttonFields = [
  "Columns",
  "Rows",
  "BgColor",
  "BgMediaType",
  "BgMedia",
  "BgMediaScaleType",
  "BgLoop",
  "ImageScaleType",
  "Image",
  "ActionType",
  "ActionBody",
  "Text",
  "TextVAlign",
  "TextHAlign",
  "TextPaddings",
  "TextOpacity",
  "TextSize",
  "TextShouldFit",
  "TextBgGradientColor",
  "OpenURLType",
  "OpenURLMediaType",
  "InternalBrowser",
  "Map",
  "Frame",
  "MediaPlayer",
  "Silent",
];

/** The maximum rows of each form: a keyboard in portrait mode, and six cards of seven rows. */
const limits = {
  keyboard: { rowsOfButton: 2, rows: 24 },
  rich_media: { rowsOfButton: 7, rows: 42 },
} as const;

/** Parses a keyboard, or the cards of a rich media message. */
export function readButtons(
  value: unknown,
  form: "keyboard" | "rich_media",
  apiVersion: number,
): readonly Button[] {
  const fields = new StrictFields(value, keyboardFields, fieldErrors, `${form}.`);
  if (fields.needText("Type") !== form) throw fieldErrors.wrongType(`${form}.Type`, form);
  const list = fields.list("Buttons");
  if (!list || list.length === 0) throw fields.missing("Buttons");
  let cells = 0;
  const buttons = list.map((button, index) => {
    const read = new StrictFields(button, buttonFields, fieldErrors, `${form}.Buttons[${index}].`);
    cells += sizeOf(read, limits[form].rowsOfButton);
    return readButton(read, apiVersion);
  });
  if (cells > limits[form].rows * 6) throw refused(3, `${form}: too many rows`);
  return buttons;
}

/** How many cells of the six columns a button covers. */
function sizeOf(button: StrictFields, maxRows: number): number {
  const columns = button.integer("Columns") ?? 6;
  const rows = button.integer("Rows") ?? 1;
  if (columns < 1 || columns > 6 || rows < 1 || rows > maxRows)
    throw refused(3, `a button must have 1 to 6 columns and 1 to ${maxRows} rows`);
  return columns * rows;
}

function readButton(button: StrictFields, apiVersion: number): Button {
  const action = button.oneOf("ActionType", actions) ?? "reply";
  const body = button.text("ActionBody") ?? "";
  if (body === "" && action !== "none") throw button.missing("ActionBody");
  if ((action === "share-phone" || action === "location-picker") && apiVersion < 3)
    throw refused(3, `${action} needs min_api_version 3`);
  if (action === "open-url" && !URL.canParse(body)) throw fieldErrors.wrongType("ActionBody", "a URL");
  return { text: stripTags(button.text("Text") ?? ""), action, body };
}

/** Labels may contain a little HTML. */
function stripTags(text: string): string {
  return text.replace(/<[^>]*>/g, "");
}
