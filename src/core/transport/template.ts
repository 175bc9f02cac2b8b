/** Moderation states of a template, in the interface's spelling. Only an approved one can be sent. */
export const TEMPLATE_STATUSES = ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"] as const;
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** A message approved in advance, as the messenger stores it. */
export interface Template {
  /** The messenger's id, unique within the business. */
  readonly externalId: string;
  readonly name: string;
  /** For example `en_US`. */
  readonly language: string;
  readonly category: string;
  readonly status: TemplateStatus;
  /** The messenger's reason for a rejection. */
  readonly reason?: string;
  readonly components: readonly TemplateComponent[];
}

/** What a client submits for approval. */
export type TemplateDraft = Pick<Template, "name" | "language" | "category" | "components">;

/** Parts of a template; the interface returns them unchanged, with any further fields of the messenger. */
export interface TemplateComponent {
  /** `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, or a newer type. */
  readonly type: string;
  /** For a header: `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT` … */
  readonly format?: string;
  /** With variables such as `{{1}}` or `{{name}}`. */
  readonly text?: string;
  readonly buttons?: readonly TemplateButton[];
  /** The cards of a `CAROUSEL`. */
  readonly cards?: readonly { readonly components: readonly TemplateComponent[] }[];
  readonly [more: string]: unknown;
}

export interface TemplateButton {
  /** `QUICK_REPLY`, `URL`, `PHONE_NUMBER` … */
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly [more: string]: unknown;
}

/** A variable part of a template that takes one of the request's values. */
export type TemplateSlot =
  /** `variable` is a number or a name. */
  | { readonly part: "header" | "body"; readonly kind: "text"; readonly variable: string }
  /** The address of a picture, video or document. */
  | { readonly part: "header"; readonly kind: "media"; readonly format: string }
  /** The variable end of the address of the button with this index, or the code that it copies. */
  | { readonly part: "button"; readonly kind: "url" | "code"; readonly button: number };

const MEDIA_FORMATS: readonly string[] = ["IMAGE", "VIDEO", "DOCUMENT"];

/** A slot, and the index of its card if it is in a carousel. */
export type PlacedSlot = TemplateSlot & { readonly card?: number };

/**
 * The slots of a request's values, in order: header, body, buttons; then the same of each card of a carousel. The
 * button of a one-time code has none: it copies the code in the body. Pure.
 */
export function slotsOf(components: readonly TemplateComponent[]): PlacedSlot[] {
  return [
    ...slotsOfLevel(components),
    ...cardsOf(components).flatMap((parts, card) => slotsOfLevel(parts).map((slot) => ({ ...slot, card }))),
  ];
}

/** The parts of each card of a carousel. */
export function cardsOf(components: readonly TemplateComponent[]): readonly (readonly TemplateComponent[])[] {
  return components.flatMap(({ type, cards }) =>
    type === "CAROUSEL" && Array.isArray(cards)
      ? cards.map((card: { components?: readonly TemplateComponent[] } | null) => card?.components ?? [])
      : [],
  );
}

/** What the template has that no value can fill; null if it can be sent. Pure. */
export function unfillablePart(components: readonly TemplateComponent[]): string | null {
  const levels = [components, ...cardsOf(components)];
  const headers = levels.flat().filter(({ type }) => type === "HEADER");
  const format = headers.find(({ format = "TEXT" }) => !FILLED_FORMATS.includes(format))?.format;
  if (format !== undefined) return `a header of the format ${format}`;
  const part = components.find(({ type, ...rest }) => type === "LIMITED_TIME_OFFER" && hasExpiry(rest));
  if (part !== undefined) return "an offer that expires";
  const button = levels.flatMap(buttonsOf).find(({ type }) => UNFILLED_BUTTONS.includes(type));
  return button === undefined ? null : `a button of the type ${button.type}`;
}

const FILLED_FORMATS: readonly string[] = ["TEXT", ...MEDIA_FORMATS];
/** They require products or an order (page "Template components"). */
const UNFILLED_BUTTONS: readonly string[] = ["MPM", "SPM", "ORDER_DETAILS"];

function hasExpiry(part: Readonly<Record<string, unknown>>): boolean {
  const offer = part["limited_time_offer"];
  return (
    typeof offer === "object" && offer !== null && "has_expiration" in offer && offer.has_expiration === true
  );
}

function slotsOfLevel(components: readonly TemplateComponent[]): TemplateSlot[] {
  const buttons = buttonsOf(components);
  const hasCode = buttons.some(isOneTimeCode);
  return [
    ...components.filter(({ type }) => type === "HEADER").flatMap(headerSlots),
    ...components
      .filter(({ type }) => type === "BODY")
      // The messenger words the body of a one-time code by itself, and may not list it.
      .flatMap(({ text = hasCode ? "{{1}}" : "" }) =>
        variablesOf(text).map((variable) => ({ part: "body", kind: "text", variable }) as const),
      ),
    ...buttons.flatMap(buttonSlots),
  ];
}

function buttonSlots(button: TemplateButton, place: number): TemplateSlot[] {
  if (button.type === "COPY_CODE") return [{ part: "button", kind: "code", button: place }];
  const isFilled =
    button.type === "URL" && !isOneTimeCode(button) && variablesOf(button.url ?? "").length > 0;
  return isFilled ? [{ part: "button", kind: "url", button: place }] : [];
}

/**
 * A button that copies or fills in a one-time code. WhatsApp lists such buttons as links to its own page `otp/code`
 * (page "Authentication templates").
 */
export function isOneTimeCode({ type, url = "" }: TemplateButton): boolean {
  return type === "OTP" || (type === "URL" && /^https:\/\/www\.whatsapp\.com\/otp\/code\b/.test(url));
}

/** All buttons of a template, in the messenger's order. */
export function buttonsOf(components: readonly TemplateComponent[]): readonly TemplateButton[] {
  return components.flatMap(({ type, buttons = [] }) => (type === "BUTTONS" ? buttons : []));
}

const READ_PARTS: readonly string[] = ["HEADER", "BODY", "FOOTER"];

/** The template, or some of its parts, as text with the values filled in; variables without a value are kept. */
export function renderTemplate(
  components: readonly TemplateComponent[],
  values: readonly string[],
  parts = READ_PARTS,
): string {
  const slots = slotsOf(components);
  const cards = parts.includes("BODY") ? cardsOf(components) : [];
  return [components, ...cards]
    .flatMap((level, index) =>
      linesOf(level, { slots, values, parts, card: index === 0 ? undefined : index - 1 }),
    )
    .join("\n");
}

interface Filling {
  readonly slots: readonly PlacedSlot[];
  readonly values: readonly string[];
  readonly parts: readonly string[];
  /** Undefined: outside the cards. */
  readonly card: number | undefined;
}

function linesOf(level: readonly TemplateComponent[], { slots, values, parts, card }: Filling): string[] {
  return level
    .filter(({ type, text }) => text !== undefined && parts.includes(type))
    .map(({ type, text = "" }) => {
      const part = type.toLowerCase();
      return text.replace(VARIABLE, (whole, variable: string) => {
        const place = slots.findIndex(
          (slot) =>
            slot.card === card && slot.part === part && slot.kind === "text" && slot.variable === variable,
        );
        return values[place] ?? whole;
      });
    });
}

function headerSlots({ format = "TEXT", text = "" }: TemplateComponent): TemplateSlot[] {
  if (MEDIA_FORMATS.includes(format)) return [{ part: "header", kind: "media", format }];
  return variablesOf(text).map((variable) => ({ part: "header", kind: "text", variable }));
}

const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g;

/** Each variable once: numbers in ascending order, names in order of the text. */
function variablesOf(text: string): string[] {
  const found = [...new Set([...text.matchAll(VARIABLE)].map(([, variable = ""]) => variable))];
  return found.every((variable) => /^\d+$/.test(variable))
    ? found.toSorted((a, b) => Number(a) - Number(b))
    : found;
}
