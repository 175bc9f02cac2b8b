import { badParam, type GraphError, userError } from "../../meta/graph-error.ts";
import { characters, type Param } from "../../meta/param.ts";
import { readCards } from "./carousel.ts";
import { readOneTimeCode } from "./one-time-code.ts";
import {
  type TemplateButton,
  type TemplateCategory,
  type TemplateComponent,
  variablesOf,
} from "./template.ts";

const formats = ["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"] as const;
const buttonTypes = ["QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE"] as const;
const maxButtons = 10;

/** Checks the parts of a template as Meta does at submission: each at most once, the body required. */
export function readComponents(
  components: readonly Param[],
  { format, category }: { readonly format: "POSITIONAL" | "NAMED"; readonly category: TemplateCategory },
): readonly TemplateComponent[] {
  return category === "AUTHENTICATION" ? readOneTimeCode(components) : readParts(components, format);
}

function readParts(
  components: readonly Param[],
  format: "POSITIONAL" | "NAMED",
): readonly TemplateComponent[] {
  const read = components.map((component) => readComponent(component, format));
  const types = read.map(({ type }) => type);
  const repeated = types.find((type, index) => types.indexOf(type) !== index);
  if (repeated) throw badParam(`Param components has more than one component of type ${repeated}.`);
  if (!types.includes("BODY")) throw missingField("BODY");
  return read;
}

function readComponent(component: Param, format: "POSITIONAL" | "NAMED"): TemplateComponent {
  const type = component.needText("type").toUpperCase();
  switch (type) {
    case "HEADER":
      return readHeader(component, format);
    case "BODY":
      component.only("type", "text", "example");
      return { type, ...readText(component, { format, max: 1024, variables: Number.POSITIVE_INFINITY }) };
    case "FOOTER": {
      component.only("type", "text");
      return { type, ...readText(component, { format, max: 60, variables: 0 }) };
    }
    case "BUTTONS":
      component.only("type", "buttons");
      return { type, buttons: readButtons(component.needList("buttons")) };
    case "CAROUSEL":
      return { type, cards: readCards(component, (parts) => readParts(parts, format)) };
    default:
      throw badParam(
        `Param ${component.placeOf("type")} must be one of {HEADER, BODY, FOOTER, BUTTONS, CAROUSEL} - got "${type}".`,
      );
  }
}

function readHeader(component: Param, format: "POSITIONAL" | "NAMED"): TemplateComponent {
  component.only("type", "format", "text", "example");
  const headerFormat = component.needText("format").toUpperCase();
  const known = formats.find((candidate) => candidate === headerFormat);
  if (!known) throw badParam(`Param ${component.placeOf("format")} must be one of {${formats.join(", ")}}.`);
  if (known === "TEXT") {
    return { type: "HEADER", format: known, ...readText(component, { format, max: 60, variables: 1 }) };
  }
  const example = component.object("example");
  if (known !== "LOCATION" && !example?.has("header_handle")) throw missingField("example.header_handle");
  return { type: "HEADER", format: known, ...(example && { example: example.values }) };
}

interface TextRules {
  readonly format: "POSITIONAL" | "NAMED";
  readonly max: number;
  /** How many variables are allowed. */
  readonly variables: number;
}

function readText(component: Param, rules: TextRules): { text: string; example?: unknown } {
  const text = component.needText("text");
  if (characters(text) > rules.max) {
    throw userError(
      2388040,
      "Character Limit Exceeded",
      `The field exceeds the limit of ${rules.max} characters.`,
    );
  }
  const variables = variablesOf(text);
  if (variables.length > rules.variables) {
    throw userError(2388047, "Too Many Variables", "There are too many variables in this component.");
  }
  checkVariables(text, variables, rules.format);
  const example = component.object("example");
  if (variables.length > 0 && !example) throw missingField("example");
  return { text, ...(example && { example: example.values }) };
}

function checkVariables(text: string, variables: readonly string[], format: "POSITIONAL" | "NAMED"): void {
  if (/^\s*\{\{|\}\}\s*$/.test(text) && variables.length > 0) {
    throw userError(
      2388299,
      "Variables can't be at the start or end of the template",
      "Leading or trailing params are not allowed.",
    );
  }
  const expected =
    format === "POSITIONAL"
      ? variables.every((name, index) => name === String(index + 1))
      : variables.every((name) => /^[a-z_][a-z0-9_]*$/.test(name));
  if (expected) return;
  throw userError(
    2388073,
    "Invalid Variable Format",
    format === "POSITIONAL"
      ? "Variables must be numbered {{1}}, {{2}} and so on, without gaps."
      : "Variable names must be lower case letters, digits and underscores.",
  );
}

function readButtons(buttons: readonly Param[]): readonly TemplateButton[] {
  if (buttons.length < 1 || buttons.length > maxButtons) {
    throw badParam(`Param buttons must have 1 to ${maxButtons} items.`);
  }
  return buttons.map(readButton);
}

function readButton(button: Param): TemplateButton {
  const given = button.needText("type").toUpperCase();
  const type = buttonTypes.find((candidate) => candidate === given);
  if (!type) throw badParam(`Param ${button.placeOf("type")} must be one of {${buttonTypes.join(", ")}}.`);
  if (type === "COPY_CODE") {
    // Meta words the button. The example is a text, and is listed as a list.
    const example = button.only("type", "text", "example").needText("example", { max: 15 });
    return { type, text: "Copy offer code", example: [example] };
  }
  const text = button.needText("text", { max: 25 });
  if (type === "QUICK_REPLY") return { ...button.only("type", "text").values, type, text };
  if (type === "PHONE_NUMBER") {
    const phone = button.only("type", "text", "phone_number").needText("phone_number", { max: 20 });
    return { type, text, phone_number: phone };
  }
  const url = button.only("type", "text", "url", "example").needText("url", { max: 2000 });
  const variables = variablesOf(url);
  if (variables.length > 1 || (variables.length === 1 && !url.endsWith("}}"))) {
    throw userError(2388051, "Invalid Button URL", "A button's URL can have one variable, at its end.");
  }
  if (variables.length === 1 && !button.has("example")) throw missingField("example");
  return { type, text, url, ...(button.has("example") && { example: button.values["example"] }) };
}

function missingField(what: string): GraphError {
  return userError(
    2388043,
    "Message template is missing expected field(s)",
    `component of type ${what} is missing expected field(s)`,
  );
}
