import { type Html, html } from "../../../platform/foreign/html.ts";
import type { JsonSchema } from "../json-schema.ts";
import { prose } from "./prose.ts";

/** A table of an object's fields, with those of nested objects below. */
export function fieldTable(schema: JsonSchema): Html {
  const rows = rowsOf(schema, "");
  if (rows.length === 0) return html``;
  return html`<table class="fields"><tbody>${rows.map(rowOf)}</tbody></table>`;
}

interface Row {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** `recipient.chat_id`, `buttons[].text` ... */
function rowsOf(schema: JsonSchema, path: string): Row[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [
      { path: at, schema: field, required: schema.required?.includes(name) ?? false },
      ...rowsOf(field, at),
    ];
  });
  const items = schema.items === undefined ? [] : rowsOf(schema.items, `${path}[]`);
  const either = (schema.anyOf ?? []).flatMap((each) => rowsOf(each, path));
  // For a union of an object and a list of such objects, the fields occur twice.
  const known = new Set(own.map((row) => row.path.replaceAll("[]", "")));
  return [...own, ...[...items, ...either].filter((row) => !known.has(row.path.replaceAll("[]", "")))];
}

function rowOf({ path, schema, required }: Row): Html {
  const marks = required ? html`<em class="required">required</em>` : html``;
  return html`<tr><th scope="row"><code>${path}</code></th><td class="type">${typeName(schema)}${limitsOf(schema)}</td><td>${marks} ${prose(schema.description ?? "")}${valuesOf(schema)}</td></tr>`;
}

/** "string", "array of object", "string or null". */
export function typeName(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeName).join(" or ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["any"]);
  return types
    .map((type) => (type === "array" ? `array of ${typeName(schema.items ?? {})}` : type))
    .join(" or ");
}

function limitsOf({ minLength, maxLength, maxItems, minimum }: JsonSchema): Html {
  const limits = [
    ...(minLength === undefined || minLength < 1 ? [] : [`at least ${minLength}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} entries`]),
    ...(minimum === undefined ? [] : [`${minimum} or more`]),
  ];
  return limits.length === 0 ? html`` : html`<br><small>${limits.join(", ")}</small>`;
}

function valuesOf({ enum: values, items }: JsonSchema): Html {
  const all = values ?? items?.enum ?? [];
  if (all.length === 0) return html``;
  return html`<div class="values">${all.map((value) => html`<code>${String(value)}</code> `)}</div>`;
}
