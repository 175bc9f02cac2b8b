import { afterEach, expect, test } from "vitest";
import { Refusal } from "../kit/api/client.ts";
import { language } from "../kit/i18n.ts";
import { problemOf } from "./problem.ts";

afterEach(() => {
  language.value = "en";
});

test.each([
  ["a proxy", 502, {}],
  ["the service", 503, { error: "UNAVAILABLE", description: "The service is temporarily unavailable" }],
] as const)("an error of %s in the reader's language", (_, status, body) => {
  language.value = "ru";
  const error = new Refusal(new Response(null, { status }), body);
  expect(problemOf(error)).toBe("Сервис занят. Попробуйте чуть позже.");
});
