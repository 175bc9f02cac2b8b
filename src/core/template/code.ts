import { slotsOf, type Template } from "../transport/template.ts";

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const CODE = new RegExp(`^\\s*@template:\\s*(${UUID})\\s*\\{(.*)\\}\\s*$`, "s");

/** A template with its values as text: sent as a message by CRMs that do not support templates. */
export interface TemplateCode {
  readonly id: string;
  readonly values: readonly string[];
}

/** Parses `@template: <guid> { [[value]]; [[value]] }`; null for any other text. Pure. */
export function parseTemplateCode(text: string): TemplateCode | null {
  const [, id = "", inner = ""] = CODE.exec(text) ?? [];
  const values = id === "" ? null : valuesIn(inner);
  return values === null ? null : { id: id.toLowerCase(), values };
}

/** The texts between `[[` and the next `]]`, separated only by semicolons; null for anything else. */
function valuesIn(inner: string): string[] | null {
  const values: string[] = [];
  for (let at = 0; ; ) {
    const start = inner.indexOf("[[", at);
    if (!/^[\s;]*$/.test(inner.slice(at, start === -1 ? inner.length : start))) return null;
    if (start === -1) return values;
    const end = inner.indexOf("]]", start + 2);
    if (end === -1) return null;
    values.push(inner.slice(start + 2, end).trim());
    at = end + 2;
  }
}

/** The same form with the names of the variables as values. Pure. */
export function templateCodeOf(id: string, { components }: Pick<Template, "components">): string {
  const names = slotsOf(components).map((slot) =>
    slot.kind === "text" ? slot.variable : slot.kind === "media" ? slot.format.toLowerCase() : slot.kind,
  );
  return `@template: ${id} { ${names.map((name) => `[[${name}]]`).join("; ")} }`;
}
