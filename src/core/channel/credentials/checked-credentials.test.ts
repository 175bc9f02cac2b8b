import Type from "typebox";
import { expect, test } from "vitest";
import { AppError } from "../../errors.ts";
import { checkedCredentials } from "./checked-credentials.ts";

const SCHEMA = Type.Object({
  id: Type.String({ pattern: "^[0-9]+$" }),
  token: Type.String({ minLength: 3 }),
  secret: Type.Optional(Type.String()),
});

function faultsOf(credentials: Record<string, unknown>, schema = SCHEMA): string[] {
  try {
    checkedCredentials(schema, credentials);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "VALIDATION_ERROR") throw error;
    const { fields } = error.data as { fields: { field: string; message: string }[] };
    return fields.map(({ field, message }) => `${field} ${message}`);
  }
}

test.each<[Record<string, unknown>, string[]]>([
  [{ id: "1", token: "abc" }, []],
  [{ id: "1", token: "abc", secret: "x" }, []],
  [{}, ["credentials.id is required", "credentials.token is required"]],
  [{ id: "1", token: "abc", tokn: "x" }, ["credentials.tokn is not a known field"]],
  [
    { id: "1", tokn: "x", secret: 1 },
    [
      "credentials.token is required",
      "credentials.secret must be string",
      "credentials.tokn is not a known field",
    ],
  ],
  [
    { id: "1", token: "abc", toString: "x", a: 1 },
    ["credentials.toString is not a known field", "credentials.a is not a known field"],
  ],
])("%j", (credentials, expected) => {
  expect(faultsOf(credentials)).toEqual(expected);
});

test("names the errors of a value", () => {
  expect(faultsOf({ id: "x", token: "ab" })).toEqual([
    "credentials.id has a wrong format",
    "credentials.token must not have fewer than 3 characters",
  ]);
});
