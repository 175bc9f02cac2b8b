import { expect, test } from "vitest";
import { basicCredentials } from "./partner-admission.ts";

const encoded = (text: string): string => Buffer.from(text).toString("base64");

test.each([
  [`Basic ${encoded("a@b.example:secret")}`, { email: "a@b.example", password: "secret" }],
  [`basic  ${encoded("a@b.example:with:colons:")}`, { email: "a@b.example", password: "with:colons:" }],
  [`BASIC ${encoded("a@b.example:пароль")}`, { email: "a@b.example", password: "пароль" }],
  [`Basic ${encoded("a@b.example:")}`, { email: "a@b.example", password: "" }],
  [undefined, null],
  ["", null],
  ["Basic", null],
  [`Basic ${encoded("no colon")}`, null],
  [`Basic ${encoded(":secret")}`, null],
  [`Basic ${encoded("a@b.example:\u0000")}`, null],
  [`Basic ${encoded("a@b\n.example:x")}`, null],
  [`Bearer ${encoded("a@b.example:secret")}`, null],
  [`Basic ${encoded("a:b")} x`, null],
  [`Basic ${"x".repeat(5_000)}`, null],
  ["Basic %%%", null],
])("%.60j", (header, credentials) => {
  expect(basicCredentials(header)).toEqual(credentials);
});
