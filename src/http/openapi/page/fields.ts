import { type Html, html } from "../../../platform/foreign/html.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Parameter } from "../operation.ts";
import { prose } from "./prose.ts";

/** Nested lists of at most so many fields are open at first. */
const FEW = 8;

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Of a parameter. */
  readonly place?: string;
}

/** A list of an object's fields, those of nested objects within. `open`: whether short nested lists are open. */
export function fieldList(schema: JsonSchema, open = false): Html {
  return listOf(fieldsOf(schema), open);
}

/** The same of parameters. */
export function parameterList(parameters: readonly Parameter[]): Html {
  return listOf(
    parameters.map(({ name, in: place, required, description = "", schema }) => ({
      name,
      schema: { ...schema, description },
      required,
      place,
    })),
    false,
  );
}

function listOf(fields: readonly Field[], open: boolean): Html {
  return fields.length === 0
    ? html``
    : html`<ul class="fields">${fields.map((field) => itemOf(field, open))}</ul>`;
}

/** For a union of an object and a list of such objects, each field once. */
function fieldsOf({ properties = {}, required = [], items, anyOf = [] }: JsonSchema): Field[] {
  const own = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }));
  const more = [...(items === undefined ? [] : [items]), ...anyOf].flatMap(fieldsOf);
  const known = new Map<string, Field>();
  for (const field of [...own, ...more]) {
    const isOwn = own.some(({ name }) => name === field.name);
    const key = isOwn ? field.name : JSON.stringify([field.name, field.schema]);
    if (!known.has(key)) known.set(key, field);
  }
  return [...known.values()];
}

function itemOf({ name, schema, required, place }: Field, open: boolean): Html {
  const mark = required ? html` <em class="required">required</em>` : html``;
  const where = place === undefined ? "" : `, in ${place}`;
  const { description = "" } = schema;
  return html`<li><code>${name}</code> <small>${typeName(schema)}${where}${limitsOf(schema)}</small>${mark}${
    description === "" ? html`` : html`<p>${prose(description)}</p>`
  }${valuesOf(schema)}${nestedOf(name, schema, open)}</li>`;
}

function nestedOf(name: string, schema: JsonSchema, open: boolean): Html {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return html``;
  const shown = open && fields.length <= FEW ? html` open` : html``;
  return html`<details${shown}><summary>Fields of <code>${name}</code></summary>${listOf(fields, open)}</details>`;
}

/** "string", "array of object", "string or null". */
function typeName(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeName).join(" or ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["any"]);
  return types
    .map((type) => (type === "array" ? `array of ${typeName(schema.items ?? {})}` : type))
    .join(" or ");
}

function limitsOf({ minLength, maxLength, maxItems, minimum }: JsonSchema): string {
  return [
    ...(minLength === undefined || minLength < 2 ? [] : [`at least ${minLength}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} entries`]),
    ...(minimum === undefined ? [] : [`${minimum} or more`]),
  ]
    .map((limit) => `, ${limit}`)
    .join("");
}

function valuesOf({ enum: values, items }: JsonSchema): Html {
  const all = values ?? items?.enum ?? [];
  if (all.length === 0) return html``;
  return html`<p class="values">${all.map((value) => html`<code>${String(value)}</code> `)}</p>`;
}
