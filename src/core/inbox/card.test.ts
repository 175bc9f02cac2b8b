import { expect, test } from "vitest";
import { type CardFields, normalFields } from "./card.ts";

test.each<[Partial<CardFields>, Partial<CardFields>]>([
  [{}, {}],
  [{ name: "  Ann " }, { name: "Ann" }],
  [{ phone: "" }, { phone: "" }],
  [{ phone: "+7 (900) 123-45-67" }, { phone: "79001234567" }],
  [{ email: " ann@shop.example " }, { email: "ann@shop.example" }],
  [
    { email: "", comment: " a\nb " },
    { email: "", comment: "a\nb" },
  ],
])("%j is stored as %j", (change, stored) => {
  expect(normalFields(change)).toEqual(stored);
});

test.each<[Partial<CardFields>, string[]]>([
  [{ phone: "1234" }, ["phone"]],
  [{ phone: "ask Ann" }, ["phone"]],
  [{ email: "ann" }, ["email"]],
  [{ email: "ann@" }, ["email"]],
  [{ email: "a b@shop.example" }, ["email"]],
  [{ phone: "1", email: "@" }, ["phone", "email"]],
])("%j is refused for %j", (change, fields) => {
  const refused = { code: "VALIDATION_ERROR", data: { fields: fields.map((field) => ({ field })) } };
  expect(() => normalFields(change)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  try {
    normalFields(change);
  } catch (error) {
    expect(error).toMatchObject(refused);
  }
});
