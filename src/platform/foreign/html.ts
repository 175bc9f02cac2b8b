/** Markup that needs no escaping. */
export interface Html {
  readonly html: string;
}

/** Builds markup. Escapes all values except those built by this function. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const filled = values.map((value, index) => markupOf(value) + (parts[index + 1] ?? ""));
  return { html: (parts[0] ?? "") + filled.join("") };
}

function markupOf(value: string | Html | readonly Html[]): string {
  if (typeof value === "string") return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
  return "html" in value ? value.html : value.map((each) => each.html).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
