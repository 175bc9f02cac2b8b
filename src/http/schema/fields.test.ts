import fastify, { type FastifySchemaValidationError } from "fastify";
import { type TSchema, Type } from "typebox";
import { expect, test } from "vitest";
import { AppError } from "../../core/errors.ts";
import { type FieldFault, fieldsError } from "./fields.ts";
import { patterned, strictObject } from "./shapes.ts";

const body = strictObject(
  {
    id: patterned("uuid"),
    kind: Type.Enum(["a", "b"]),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
    size: Type.Optional(Type.Number({ minimum: 0 })),
    flag: Type.Optional(Type.Boolean()),
    phone: Type.Optional(patterned("wholeNumber")),
    sha1: Type.Optional(patterned("sha1")),
    mimetype: Type.Optional(patterned("mimeType")),
    values: Type.Optional(Type.Array(Type.String(), { maxItems: 2 })),
    inner: Type.Optional(strictObject({ url: Type.String() })),
    extra: Type.Optional(Type.String()),
  },
  { dependencies: { extra: ["inner"] } },
);
const GOOD = { id: "0191f0a0-0000-4000-8000-000000000000", kind: "a" };

const cases: [name: string, body: unknown, fields: [field: string, message: string][]][] = [
  [
    "nothing at all",
    {},
    [
      ["id", "is required"],
      ["kind", "is required"],
    ],
  ],
  ["not an object", [], [["body", "must be an object"]]],
  [
    "wrong types",
    { id: 1, kind: "a", flag: "true", size: "2", values: {} },
    [
      ["id", "must be a string"],
      ["size", "must be a number"],
      ["flag", "must be true or false"],
      ["values", "must be an array"],
    ],
  ],
  [
    "every faulty field at once",
    { id: "x", kind: "c", other: 1, inner: { more: true } },
    [
      ["other", "is not a known field"],
      ["id", "must be a uuid"],
      ["kind", "must be one of a, b"],
      ["inner.more", "is not a known field"],
      ["inner.url", "is required"],
    ],
  ],
  [
    "lengths and limits",
    { ...GOOD, name: "", size: -1, values: ["a", "b", "c"] },
    [
      ["name", "must not be empty"],
      ["size", "must be at least 0"],
      ["values", "must have at most 2 items"],
    ],
  ],
  ["too long", { ...GOOD, name: "abcd" }, [["name", "must have at most 3 characters"]]],
  [
    "patterns",
    { ...GOOD, phone: "+7", sha1: "xyz", mimetype: "png" },
    [
      ["phone", "must be a whole number"],
      ["sha1", "must be 40 hexadecimal digits"],
      ["mimetype", "must be a MIME type such as image/png"],
    ],
  ],
  ["in a list", { ...GOOD, values: ["a", 2] }, [["values[1]", "must be a string"]]],
  ["only together", { ...GOOD, extra: "x" }, [["extra", "is allowed only together with inner"]]],
];

test.each(cases)("%s", async (_name, value, fields) => {
  const error = await validate(body, value);
  expect(error?.code).toBe("VALIDATION_ERROR");
  const found = faultsOf(error);
  const sorted = (list: [string, string][]) => list.toSorted(([a], [b]) => a.localeCompare(b));
  expect(sorted(found.map(({ field, message }) => [field, message]))).toEqual(sorted(fields));
});

test("lists a hundred fields at most", async () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
  const error = await validate(body, { ...GOOD, ...many });
  expect(faultsOf(error)).toHaveLength(100);
});

function faultsOf(error: AppError | undefined): FieldFault[] {
  return (error?.data as { fields: FieldFault[] } | undefined)?.fields ?? [];
}

/** What the server's own validator says of the value. */
async function validate(schema: TSchema, value: unknown): Promise<AppError | undefined> {
  const app = fastify({
    ajv: {
      customOptions: { coerceTypes: false, allErrors: true, removeAdditional: false, useDefaults: false },
    },
  });
  let error: AppError | undefined;
  app.post("/", (request) => {
    const check = request.compileValidationSchema(schema as unknown as Record<string, unknown>);
    if (!check(value)) error = fieldsError((check.errors ?? []) as FastifySchemaValidationError[]);
    return {};
  });
  await app.inject({ method: "POST", url: "/" });
  return error instanceof AppError ? error : undefined;
}
