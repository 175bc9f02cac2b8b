import { Compile, type Validator } from "typebox/compile";
import { withCamelKeys } from "../../platform/foreign/snake-case.ts";
import { type ContactChange, contactFaults, contactSchema } from "./contact.ts";
import { type DealChange, dealChangeOf, dealSchema } from "./deal.ts";

/** The parsed response of a CRM: the entity with the fields it contains, or why it is invalid. */
export type Answered<T> = { readonly entity: T } | { readonly fault: string };

const contactAnswer = Compile({ ...contactSchema, required: ["id"] });
const dealAnswer = Compile({ ...dealSchema, required: ["id"] });

/**
 * Parses the response to a request for a contact: in the format of `POST /contacts` of that version, alone or as a
 * list of one. Only the id is required. Pure.
 */
export function contactAnswered(text: string | null, version: "v2" | "v3"): Answered<ContactChange> {
  const answered = entityIn<ContactChange>(read(text, version), contactAnswer);
  if ("fault" in answered) return answered;
  const faults = contactFaults(answered.entity);
  return faults.length === 0 ? answered : { fault: faultOf(faults) };
}

/** The same for a deal. */
export function dealAnswered(text: string | null, version: "v2" | "v3"): Answered<DealChange> {
  const answered = entityIn<Parameters<typeof dealChangeOf>[0]>(read(text, version), dealAnswer);
  return "fault" in answered ? answered : { entity: dealChangeOf(answered.entity) };
}

function entityIn<T>(value: unknown, schema: Validator): Answered<T> {
  const entity = normal(Array.isArray(value) && value.length === 1 ? value[0] : value);
  if (entity === null) return { fault: "the answer holds no entity" };
  if (schema.Check(entity)) return { entity: entity as T };
  const paths = schema
    .Errors(entity)
    .map(({ instancePath, keyword, params }) =>
      keyword === "required" ? `${instancePath}/${Object.values(params).flat().join()}` : instancePath,
    );
  return { fault: faultOf(paths.map(dotted)) };
}

function faultOf(paths: readonly string[]): string {
  return `the answer is no entity, see ${[...new Set(paths)].slice(0, 5).join(", ")}`;
}

/** `/contactData/0/chatId` → `contactData[0].chatId` */
function dotted(path: string): string {
  return path
    .slice(1)
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".");
}

function read(text: string | null, version: "v2" | "v3"): unknown {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return version === "v2" ? withCamelKeys(value) : value;
  } catch {
    return null;
  }
}

const IDS: ReadonlySet<string> = new Set(["id", "responsibleUserId"]);

/** Without nulls, which mean "omitted", and with numeric ids as text. Null: not an object. */
function normal(value: unknown): Record<string, unknown> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      IDS.has(name) && Number.isSafeInteger(field)
        ? String(field)
        : Array.isArray(field)
          ? field.map(item)
          : field,
    ]),
  );
}

function item(value: unknown): unknown {
  return normal(value) ?? value;
}
