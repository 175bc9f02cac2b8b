import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../../core/errors.ts";
import type { App } from "../../app.ts";
import { JSON_TYPE } from "../../errors.ts";
import { faultyFields } from "../../schema/fields.ts";

const FORM = "application/x-www-form-urlencoded";

/** How a route of RFC 6749 reads its form. */
export interface FormShape {
  /** The fields of a form as the JSON body of the route. */
  bodyOf(fields: Readonly<Record<string, string>>): unknown;
}

/**
 * Lets the routes of `app` take forms beside JSON, as RFC 6749 demands (section 3.2 and appendix B). A form gets the
 * responses and errors of that standard: without an envelope, with its codes (section 5).
 */
export function acceptForms(app: App, { bodyOf }: FormShape): void {
  app.addContentTypeParser(FORM, { parseAs: "buffer" }, (request, bytes, done) => {
    try {
      const text = textOf(bytes as Buffer);
      request.bodyText = text;
      done(null, bodyOf(fieldsOf(text)));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const isJson = reply.getHeader("content-type") === JSON_TYPE;
    done(null, isForm(request) && isJson && typeof payload === "string" ? asStandard(payload) : payload);
  });
}

function isForm({ headers }: FastifyRequest): boolean {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase() === FORM;
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw faultyFields([{ field: "", message: "must be valid UTF-8" }]);
  return bytes.toString();
}

/** Empty fields are omitted, and none may occur twice (RFC 6749, 3.2). */
function fieldsOf(text: string): Readonly<Record<string, string>> {
  const form = new URLSearchParams(text);
  const twice = [...new Set(form.keys())].filter((name) => form.getAll(name).length > 1);
  if (twice.length > 0)
    throw faultyFields(twice.map((field) => ({ field, message: "must not occur more than once" })));
  if ([...form.values()].some((value) => value.includes("\0"))) throw new AppError("VALIDATION_ERROR");
  return Object.fromEntries([...form].filter(([, value]) => value !== ""));
}

/** RFC 6749, 5.1 and 5.2. */
function asStandard(payload: string): string {
  const body = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  const { error, description, data } = body;
  if (error === undefined) return JSON.stringify(data ?? {});
  return JSON.stringify({ error: standardCode(String(error), data), error_description: description, data });
}

const STANDARD_CODES: Readonly<Record<string, string>> = {
  INVALID_GRANT: "invalid_grant",
  INVALID_CLIENT: "invalid_client",
  INVALID_SCOPE: "invalid_scope",
  INVALID_APIKEY: "invalid_client",
};

function standardCode(code: string, data: unknown): string {
  const { fields = [] } = (data ?? {}) as { readonly fields?: readonly { readonly field: string }[] };
  const [first] = fields;
  if (first?.field === "grant_type") return "unsupported_grant_type";
  if (first?.field.endsWith(".scope")) return "invalid_scope";
  return STANDARD_CODES[code] ?? "invalid_request";
}
