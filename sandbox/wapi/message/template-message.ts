import { characters, type Param } from "../../meta/param.ts";
import { whatsAppError } from "../call/whatsapp-error.ts";
import type { MediaKind } from "../media/media-type.ts";
import { componentOf, type Template, type TemplateButton, variablesOf } from "../template/template.ts";
import { type MediaUse, readSource } from "./media-use.ts";

const maxHydratedBody = 1024;

/** A template as the person receives it. */
export interface FilledTemplate {
  readonly header: string | undefined;
  readonly body: string;
  readonly footer: string | undefined;
  readonly buttons: readonly FilledButton[];
  readonly media: readonly MediaUse[];
  /** Of a carousel; their buttons and media are also those of the template. */
  readonly cards?: readonly FilledTemplate[];
}

/** A button of a template in a message; quick replies answer with their payload. */
export interface FilledButton {
  readonly type: string;
  readonly text: string;
  readonly payload?: string;
  readonly url?: string;
  readonly phone_number?: string;
  /** What the button copies. */
  readonly code?: string;
}

interface Given {
  readonly type: string;
  readonly component: Param;
  readonly parameters: readonly Param[];
}

/** A template, or a card of one. */
type Fillable = Pick<Template, "components" | "parameterFormat">;

/** Checks the request against the stored template and fills in the values. */
export function fillTemplate(template: Template, message: Param): FilledTemplate {
  const given = (message.list("components") ?? []).map(readComponent);
  const filled = fillParts(template, given);
  const cards = fillCards(
    template,
    given.find(({ type }) => type === "carousel"),
  );
  if (cards.length === 0) return filled;
  return {
    ...filled,
    buttons: [filled, ...cards].flatMap(({ buttons }) => buttons),
    media: [filled, ...cards].flatMap(({ media }) => media),
    cards,
  };
}

function fillParts(template: Fillable, given: readonly Given[]): FilledTemplate {
  checkOnce(given);
  const header = fillHeader(
    template,
    given.find(({ type }) => type === "header"),
  );
  const body = fillText(
    template,
    "body",
    given.find(({ type }) => type === "body"),
  );
  if (characters(body) > maxHydratedBody) {
    throw whatsAppError(
      132005,
      `Translated text too long: body is longer than ${maxHydratedBody} characters`,
    );
  }
  const buttons = fillButtons(
    template,
    given.filter(({ type }) => type === "button"),
  );
  const footer = componentOf(template, "FOOTER")?.text;
  return { header: header.text, body, footer, buttons, media: header.media };
}

/** Every card is given, with its number from 0. */
function fillCards(template: Template, given: Given | undefined): readonly FilledTemplate[] {
  const cards = componentOf(template, "CAROUSEL")?.cards ?? [];
  const asked = given?.component.list("cards") ?? [];
  const byIndex = new Map(
    asked.map((card) => [card.only("card_index", "components").needNumber("card_index"), card]),
  );
  if (asked.length !== cards.length || cards.some((_, index) => !byIndex.has(index))) {
    throw whatsAppError(
      132012,
      `carousel: number of cards (${asked.length}) does not match the expected number of cards (${cards.length})`,
    );
  }
  return cards.map(({ components }, index) => {
    const parts = (byIndex.get(index)?.list("components") ?? []).map(readComponent);
    return fillParts({ components, parameterFormat: template.parameterFormat }, parts);
  });
}

function readComponent(component: Param): Given {
  const type = component.needText("type").toLowerCase();
  if (type === "carousel") return { type, component: component.only("type", "cards"), parameters: [] };
  component.only("type", "sub_type", "index", "parameters");
  if (type !== "header" && type !== "body" && type !== "button") {
    throw whatsAppError(131009, `Unsupported component type: ${type}`);
  }
  return { type, component, parameters: component.list("parameters") ?? [] };
}

function checkOnce(given: readonly Given[]): void {
  for (const type of ["header", "body", "carousel"]) {
    if (given.filter((component) => component.type === type).length > 1) {
      throw whatsAppError(131009, `components: duplicate component of type ${type}`);
    }
  }
}

function fillHeader(
  template: Fillable,
  given: Given | undefined,
): { text: string | undefined; media: readonly MediaUse[] } {
  const header = componentOf(template, "HEADER");
  const format = header?.format ?? "TEXT";
  if (format === "TEXT") {
    return { text: header && fillText(template, "header", given), media: [] };
  }
  const [parameter, ...more] = given?.parameters ?? [];
  if (!parameter) {
    throw whatsAppError(132012, `header: Format mismatch, expected ${format}, received UNKNOWN`);
  }
  const kind = parameter.needText("type").toLowerCase();
  if (kind.toUpperCase() !== format || more.length > 0) {
    throw whatsAppError(
      132012,
      `header: Format mismatch, expected ${format}, received ${kind.toUpperCase()}`,
    );
  }
  parameter.only("type", kind);
  const object = parameter.needObject(kind);
  if (kind === "location") {
    object.only("latitude", "longitude", "name", "address");
    return { text: undefined, media: [] };
  }
  const media = object.only("id", "link", ...(kind === "document" ? ["filename"] : []));
  return { text: undefined, media: [readSource(media, kind as MediaKind)] };
}

/** The text with its variables replaced: by position, or by name. */
function fillText(template: Fillable, part: "header" | "body", given: Given | undefined): string {
  const component = componentOf(template, part === "header" ? "HEADER" : "BODY");
  const text = component?.text ?? "";
  const variables = variablesOf(text);
  const parameters = given?.parameters ?? [];
  if (parameters.length !== variables.length) {
    throw whatsAppError(
      132000,
      `${part}: number of localizable_params (${parameters.length}) does not match the expected number of ` +
        `params (${variables.length})`,
    );
  }
  const values = new Map(
    parameters.map((parameter, index) => [nameOf(template, parameter, index, part), textOf(parameter, part)]),
  );
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw whatsAppError(132012, `${part}: parameter ${whole} is missing`);
    return value;
  });
}

function nameOf(template: Fillable, parameter: Param, index: number, part: string): string {
  if (template.parameterFormat === "POSITIONAL") {
    if (parameter.has("parameter_name")) {
      throw whatsAppError(
        132018,
        `${part}: parameter_name is not allowed, the template has positional parameters`,
      );
    }
    return String(index + 1);
  }
  const name = parameter.text("parameter_name");
  if (name) return name;
  throw whatsAppError(100, "Parameter name is missing or empty");
}

function textOf(parameter: Param, part: string): string {
  parameter.only("type", "text", "parameter_name", "currency", "date_time");
  const type = parameter.needText("type").toLowerCase();
  if (type === "currency" || type === "date_time") {
    return parameter.needObject(type).needText("fallback_value");
  }
  if (type !== "text") {
    throw whatsAppError(132012, `${part}: Format mismatch, expected TEXT, received ${type.toUpperCase()}`);
  }
  const text = parameter.text("text") ?? "";
  if (text === "") throw whatsAppError(131008, "Parameter of type text is missing text value");
  if (/[\n\t]| {5,}/.test(text)) {
    throw whatsAppError(
      132018,
      "Param text cannot have new-line/tab characters or more than 4 consecutive spaces",
    );
  }
  return text;
}

function fillButtons(template: Fillable, given: readonly Given[]): readonly FilledButton[] {
  const buttons = componentOf(template, "BUTTONS")?.buttons ?? [];
  const byIndex = new Map(given.map((component) => [indexOf(component, buttons), component]));
  if (byIndex.size < given.length) throw whatsAppError(131009, "buttons: duplicate button index");
  return buttons.map((button, index) => fillButton(button, index, byIndex.get(index)));
}

function indexOf({ component }: Given, buttons: readonly TemplateButton[]): number {
  const index = component.needNumber("index");
  const button = buttons[index];
  if (!button)
    throw whatsAppError(132018, `buttons: Button at index ${index} does not exist in the template`);
  const subType = component.needText("sub_type").toUpperCase();
  if (subType === button.type) return index;
  throw whatsAppError(
    132018,
    `buttons: Button at index ${index} is of type ${button.type}, received sub_type ${subType}`,
  );
}

function fillButton(button: TemplateButton, index: number, given: Given | undefined): FilledButton {
  const text = button.text ?? "";
  const [parameter] = given?.parameters ?? [];
  if (button.type === "QUICK_REPLY") {
    const payload = parameter?.only("type", "payload").needText("payload", { max: 256 });
    return { type: button.type, text, payload: payload ?? text };
  }
  if (button.type === "COPY_CODE") return { type: button.type, text, code: couponOf(parameter, index) };
  if (button.type !== "URL") return { type: button.type, text, phone_number: button.phone_number ?? "" };
  const url = button.url ?? "";
  if (variablesOf(url).length === 0) {
    if (parameter)
      throw whatsAppError(132018, `buttons: Button at index ${index} of type Url takes no parameter`);
    return { type: button.type, text, url };
  }
  const suffix = parameter?.only("type", "text").text("text");
  if (!suffix) {
    throw whatsAppError(131008, `buttons: Button at index ${index} of type Url requires a parameter`);
  }
  return { type: button.type, text, url: url.replace(/\{\{\s*\w+\s*\}\}/, encodeURI(suffix)) };
}

function couponOf(parameter: Param | undefined, index: number): string {
  const code = parameter?.only("type", "coupon_code").text("coupon_code", { max: 15 });
  if (parameter?.text("type") === "coupon_code" && code) return code;
  throw whatsAppError(131008, `buttons: Button at index ${index} of type CopyCode requires a parameter`);
}
