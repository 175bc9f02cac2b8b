import { buttonsOf, renderTemplate } from "../transport/template.ts";
import type { MessageRow } from "./message-row.ts";

/** A template with its values, as the client received it. */
export interface FilledTemplate {
  readonly id: string;
  readonly values: string[];
  readonly header: string | null;
  readonly body: string | null;
  readonly footer: string | null;
  /** Labels. */
  readonly buttons: string[];
}

/** Null for other messages. If the template was deleted since, only its text is known. Pure. */
export function filledTemplate({
  content,
  components,
  text,
}: Pick<MessageRow, "content" | "components" | "text">): FilledTemplate | null {
  const template = content?.template;
  if (template === undefined) return null;
  const { id } = template;
  const values = [...template.values];
  if (components === null) return { id, values, header: null, body: text, footer: null, buttons: [] };
  const part = (type: string): string | null => renderTemplate(components, values, [type]) || null;
  return {
    id,
    values,
    header: part("HEADER"),
    body: part("BODY"),
    footer: part("FOOTER"),
    buttons: buttonsOf(components).map((button) => button.text ?? ""),
  };
}
