import type { OutboundContent } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import {
  buttonsOf,
  cardsOf,
  isOneTimeCode,
  type PlacedSlot,
  slotsOf,
  type TemplateComponent,
  unfillablePart,
} from "../../../core/transport/template.ts";
import { downloadName } from "../../../platform/file/download-name.ts";

type TemplateContent = Extract<OutboundContent, { type: "template" }>;

/**
 * The `template` of a message with its values (page "Template messages"). `messageId` is returned with the answer to a
 * form. Throws `TransportError` if the values do not fill the template, or no value can.
 */
export function templateOf({ template, values, payloads }: TemplateContent, messageId: string): object {
  const components =
    template.components.length === 0 && values.length > 0
      ? // The components are unknown; most templates have variables only in the body.
        [{ type: "body", parameters: values.map((text) => ({ type: "text", text })) }]
      : filledParts(template.components, { values, payloads, messageId });
  return {
    type: "template",
    template: {
      name: template.name,
      language: { code: template.language },
      ...(components.length === 0 ? {} : { components }),
    },
  };
}

interface Given {
  readonly values: readonly string[];
  readonly payloads: readonly string[];
  readonly messageId: string;
}

interface Filled {
  readonly slot: PlacedSlot;
  readonly value: string;
}

function filledParts(components: readonly TemplateComponent[], given: Given): object[] {
  const unfillable = unfillablePart(components);
  if (unfillable !== null)
    throw new TransportError("GENERAL_ERROR", `The template has ${unfillable}, which cannot be filled in`);
  const slots = slotsOf(components);
  const { values } = given;
  if (slots.length !== values.length)
    throw new TransportError(
      "GENERAL_ERROR",
      `The template requires ${slots.length} values, but ${values.length} were given`,
    );
  const filled = slots.map((slot, index) => ({ slot, value: values[index] ?? "" }));
  const payloads = createPayloads(components, given.payloads);
  const level = (parts: readonly TemplateComponent[], card: number | undefined): object[] => [
    ...textParts(filled.filter(({ slot }) => slot.card === card)),
    ...buttonParts(
      parts,
      filled.filter(({ slot }) => slot.card === card),
      { payloads, token: given.messageId },
    ),
  ];
  const cards = cardsOf(components).map((parts, card_index) => ({
    card_index,
    components: level(parts, card_index),
  }));
  return [...level(components, undefined), ...(cards.length === 0 ? [] : [{ type: "carousel", cards }])];
}

function textParts(filled: readonly Filled[]): object[] {
  return (["header", "body"] as const).flatMap((part) => {
    const parameters = filled.filter(({ slot }) => slot.part === part).map(parameterOf);
    return parameters.length === 0 ? [] : [{ type: part, parameters }];
  });
}

function parameterOf({ slot, value }: Filled): object {
  if (slot.kind === "media") {
    const type = slot.format.toLowerCase();
    return { type, [type]: { link: value, ...(type === "document" && named(value)) } };
  }
  const isNamed = slot.kind === "text" && !/^\d+$/.test(slot.variable);
  return { type: "text", ...(isNamed ? { parameter_name: slot.variable } : {}), text: value };
}

/** Without a name, WhatsApp shows "Untitled". */
function named(link: string): { filename: string } | object {
  return URL.canParse(link) ? { filename: downloadName(new URL(link), undefined) } : {};
}

/** The next payload of a quick-reply button; undefined if there is none. */
type Payloads = () => string | undefined;

/**
 * Assigns payloads to the quick-reply buttons in order, those of cards after the template's own. A list with one
 * payload per button is indexed by button instead.
 */
function createPayloads(components: readonly TemplateComponent[], payloads: readonly string[]): Payloads {
  const all = [components, ...cardsOf(components)].flatMap(buttonsOf);
  const namesAll = payloads.length === all.length;
  const places = all.flatMap(({ type }, index) => (type === "QUICK_REPLY" ? [index] : []));
  let next = 0;
  return () => {
    const place = next++;
    return payloads[namesAll ? (places[place] ?? -1) : place];
  };
}

interface ButtonFilling {
  readonly payloads: Payloads;
  /** Returned with the answer to a form. */
  readonly token: string;
}

function buttonParts(
  parts: readonly TemplateComponent[],
  filled: readonly Filled[],
  { payloads, token }: ButtonFilling,
): object[] {
  return buttonsOf(parts).flatMap((button, index) => {
    const at = (sub_type: string, parameter: object): object => ({
      type: "button",
      sub_type,
      index: String(index),
      parameters: [parameter],
    });
    const own = filled.find(({ slot }) => slot.part === "button" && slot.button === index);
    if (own?.slot.kind === "code") return [at("copy_code", { type: "coupon_code", coupon_code: own.value })];
    if (own !== undefined) return [at("url", { type: "text", text: own.value })];
    if (isOneTimeCode(button)) {
      const code = filled.find(({ slot }) => slot.part === "body");
      return [at("url", { type: "text", text: code?.value ?? "" })];
    }
    if (button.type === "FLOW") return [at("flow", { type: "action", action: { flow_token: token } })];
    if (button.type !== "QUICK_REPLY") return [];
    const payload = payloads();
    // WhatsApp rejects an empty payload; without one, a press returns the button's text.
    return payload === undefined || payload === "" ? [] : [at("quick_reply", { type: "payload", payload })];
  });
}
