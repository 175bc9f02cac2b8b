import { expect, test } from "vitest";
import { isWithin, parseScope } from "./oauth-scope.ts";

test.each([
  ["transport", ["transport"]],
  ["transport,crm", ["transport", "crm"]],
  ["crm transport", ["transport", "crm"]],
  [" crm , transport ,crm", ["transport", "crm"]],
  ["", null],
  [" , ", null],
  ["transport,everything", null],
  ["Transport", null],
])("scope %j: %j", (text, scope) => {
  expect(parseScope(text)).toEqual(scope);
});

test("a scope is within another that includes it", () => {
  expect(isWithin(["crm"], ["transport", "crm"])).toBe(true);
  expect(isWithin(["transport", "crm"], ["crm"])).toBe(false);
  expect(isWithin([], ["crm"])).toBe(true);
});
