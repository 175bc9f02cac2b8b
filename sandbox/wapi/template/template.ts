/** The states of a message template in lists. */
export type TemplateStatus =
  | "PENDING"
  | "APPROVED"
  | "REJECTED"
  | "PAUSED"
  | "DISABLED"
  | "IN_APPEAL"
  | "PENDING_DELETION"
  | "LIMIT_EXCEEDED"
  | "ARCHIVED";

export const templateCategories = ["AUTHENTICATION", "MARKETING", "UTILITY"] as const;
export type TemplateCategory = (typeof templateCategories)[number];

/** A button of a template. */
export interface TemplateButton {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly phone_number?: string;
  readonly example?: unknown;
}

/** A part of a template, in Meta's format. */
export interface TemplateComponent {
  readonly type: "HEADER" | "BODY" | "FOOTER" | "BUTTONS" | "CAROUSEL";
  readonly format?: string;
  readonly text?: string;
  readonly buttons?: readonly TemplateButton[];
  readonly cards?: readonly TemplateCard[];
  readonly example?: unknown;
  /** Of one-time codes. */
  readonly add_security_recommendation?: boolean;
  readonly code_expiration_minutes?: number;
}

/** A card of a carousel. */
export interface TemplateCard {
  readonly components: readonly TemplateComponent[];
}

/** A message template of an account, in one language. */
export interface Template {
  readonly id: string;
  readonly wabaId: string;
  readonly name: string;
  readonly language: string;
  category: TemplateCategory;
  components: readonly TemplateComponent[];
  readonly parameterFormat: "POSITIONAL" | "NAMED";
  status: TemplateStatus;
  /** `NONE` unless rejected. */
  rejectedReason: string;
  quality: "GREEN" | "YELLOW" | "RED" | "UNKNOWN";
  lastEditMs: number;
}

/** The variables of a text, in order of first appearance: `["1", "2"]` or `["first_name"]`. */
export function variablesOf(text: string | undefined): string[] {
  const names = [...(text ?? "").matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = ""]) => name);
  return [...new Set(names)];
}

/** The component of a type; there is at most one of each. */
export function componentOf(
  template: Pick<Template, "components">,
  type: TemplateComponent["type"],
): TemplateComponent | undefined {
  return template.components.find((component) => component.type === type);
}
