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
  /** The variable end of the address of the button with this index. */
  | { readonly part: "button"; readonly kind: "url"; readonly button: number };

const MEDIA_FORMATS: readonly string[] = ["IMAGE", "VIDEO", "DOCUMENT"];

/** The slots of a request's values, in order: header, body, buttons. Pure. */
export function slotsOf(components: readonly TemplateComponent[]): TemplateSlot[] {
  return [
    ...components.filter(({ type }) => type === "HEADER").flatMap(headerSlots),
    ...components
      .filter(({ type }) => type === "BODY")
      .flatMap(({ text = "" }) =>
        variablesOf(text).map((variable) => ({ part: "body", kind: "text", variable }) as const),
      ),
    ...buttonsOf(components).flatMap((button, place) =>
      button.type === "URL" && variablesOf(button.url ?? "").length > 0
        ? [{ part: "button", kind: "url", button: place } as const]
        : [],
    ),
  ];
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
  return components
    .filter(({ type, text }) => text !== undefined && parts.includes(type))
    .map(({ type, text = "" }) => {
      const part = type.toLowerCase();
      return text.replace(VARIABLE, (whole, variable: string) => {
        const place = slots.findIndex(
          (slot) => slot.part === part && slot.kind === "text" && slot.variable === variable,
        );
        return values[place] ?? whole;
      });
    })
    .join("\n");
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
