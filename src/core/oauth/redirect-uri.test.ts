import { expect, test } from "vitest";
import { redirectUriProblem, withAnswer } from "./redirect-uri.ts";

test.each([
  ["https://crm.example/callback", null],
  ["https://crm.example/callback?tenant=5", null],
  ["http://localhost:3000/callback", null],
  ["http://127.0.0.1/x", null],
  ["http://[::1]:8080/x", null],
  ["http://crm.example/callback", /https/],
  ["http://localhost.evil.example/", /https/],
  ["javascript:alert(1)", /https/],
  ["data:text/html,x", /https/],
  ["ftp://crm.example/", /https/],
  ["https://crm.example/#x", /fragment/],
  ["https://crm.example/#", /fragment/],
  ["https://name:secret@crm.example/", /name/],
  ["https://crm.example/a b", /not an address/],
  ["https://crm.example/\n", /not an address/],
  ["/callback", /not an address/],
  ["", /not an address/],
  [`https://crm.example/${"x".repeat(2_000)}`, /not an address/],
])("%.60s: %s", (uri, problem) => {
  const found = redirectUriProblem(uri);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toMatch(problem);
});

test("the response parameters are added to the existing query", () => {
  expect(withAnswer("https://crm.example/cb?a=1", { code: "x y", state: "ä&" })).toBe(
    "https://crm.example/cb?a=1&code=x+y&state=%C3%A4%26",
  );
});
