import { type TObjectOptions, type TProperties, type TSchema, type TStringOptions, Type } from "typebox";
import { MAX_USER_ID_LENGTH } from "../../core/crm/entity.ts";

/** Patterns of the interface, each with the error message for a value that does not match. */
const PATTERNS = {
  uuid: ["^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$", "must be a uuid"],
  sha1: ["^[0-9a-fA-F]{40}$", "must be 40 hexadecimal digits"],
  mimeType: ["^[\\w.+-]+/[\\w.+-]+ *(;.*)?$", "must be a MIME type such as image/png"],
  printable: ["^[^\\u0000-\\u001f\\u007f]+$", "must not be empty or have control characters"],
  wholeNumber: ["^[0-9]{0,9}$", "must be a whole number"],
  longNumber: ["^[0-9]{0,15}$", "must be a whole number"],
  pageLimit: ["^([1-9]|[1-9][0-9]|100)$", "must be a whole number from 1 to 100"],
  dateTime: [
    "^\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}(:?\\d{2})?)?)?$",
    "must be a time such as 2030-01-02T03:04:05Z",
  ],
  accountId: ["^([0-9]{8}|[12][0-9]{9})$", "must be an account's id of eight or ten digits"],
  codeVerifier: ["^[A-Za-z0-9._~-]{43,128}$", "must have 43 to 128 letters, digits or -._~"],
  country: ["^[A-Z]{2}$", "must be two capital letters such as DE"],
  currency: ["^[A-Z]{3}$", "must be three capital letters such as EUR"],
  language: ["^[a-z]{2}$", "must be two small letters such as en"],
  scope: ["^[ ,]*(transport|crm)([ ,]+(transport|crm))*[ ,]*$", "must name transport, crm, or both"],
  subjectTokenType: [
    "^urn:([\\w.-]+:)+(machine_token|access_token)$",
    "must be a URN that ends with :machine_token",
  ],
  answerName: ["^[^\\s/\\u0000-\\u001f\\u007f]+$", "must be one word without a slash"],
  notBlank: ["\\S", "must not be empty"],
  headerText: ["^[\\x20-\\x7e]*$", "must have printable ASCII characters only"],
} as const;

/** The numbers that patterns stand for: in a query every value is text. */
export const NUMBERS: ReadonlyMap<string, { readonly minimum: number; readonly maximum: number }> = new Map([
  [PATTERNS.wholeNumber[0], { minimum: 0, maximum: 999_999_999 }],
  [PATTERNS.longNumber[0], { minimum: 0, maximum: 999_999_999_999_999 }],
  [PATTERNS.pageLimit[0], { minimum: 1, maximum: 100 }],
]);

const MESSAGES: ReadonlyMap<string, string> = new Map(Object.values(PATTERNS));

/** A string that matches one of the interface's patterns. */
export function patterned(name: keyof typeof PATTERNS, options: TStringOptions = {}) {
  return Type.String({ pattern: PATTERNS[name][0], ...options });
}

/** Our id, in an answer. Whoever takes one checks it by `patterned`, or by `idFromPath`. */
export function uuidText(options: TStringOptions = {}) {
  return Type.String({ format: "uuid", ...options });
}

/** The pattern of our ids, which descriptions give as their format. */
export const UUID_PATTERN: string = PATTERNS.uuid[0];

/** The error message for a value that does not match. */
export function patternMessage(pattern: string): string {
  return MESSAGES.get(pattern) ?? "has a wrong format";
}

/** An account's id. The interface gives it as an integer and as a string, and takes both. */
export const accountId = Type.Unsafe<string | number>({
  type: ["string", "integer"],
  pattern: PATTERNS.accountId[0],
  minimum: 10_000_000,
  maximum: 2_146_999_999,
  examples: ["12345678"],
});

/** A v2 body: unknown fields are errors. */
export function strictObject<P extends TProperties>(properties: P, options: TObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** An employee's id in the CRM; an integer is converted to its digits. */
export function authorId({ description }: { readonly description: string }) {
  return Type.Unsafe<string>({
    type: ["string", "integer"],
    maxLength: MAX_USER_ID_LENGTH,
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
  });
}

/** A string that may be null in a response. */
export const nullableString = Type.Unsafe<string | null>({ type: ["string", "null"] });
export const nullableUuid = Type.Unsafe<string | null>({ type: ["string", "null"], format: "uuid" });

export const nullableTime = Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time" });

/** A v3 response without content. */
export const nothing = Type.Object({}, { title: "Nothing" });

/** The error body, by reference: handlers never return it, they throw. */
export const errorAnswers = {
  "4xx": Type.Unsafe<never>({ $ref: "Error#" }),
  "5xx": Type.Unsafe<never>({ $ref: "Error#" }),
};

/** What `errorAnswers` refers to. */
export const errorSchema: TSchema = Type.Object(
  {
    error: Type.String({ description: "Code of the error" }),
    description: Type.String({ description: "Description of the error" }),
    data: Type.Optional(
      Type.Unknown({
        description:
          "Details for developers; invalid fields as `fields`: [{field, message}] on v2; on v3 their names, and the same objects as `details`",
      }),
    ),
    status: Type.Optional(Type.Integer({ description: "HTTP status, on message routes" })),
    requestId: Type.Optional(
      Type.String({ description: "The response's X-Request-Id, on message routes: 32 hexadecimal digits" }),
    ),
  },
  { $id: "Error", description: "The body of every error response" },
);
