import { expect, test } from "vitest";
import { Refusal } from "../kit/api/client.ts";
import { problemOf } from "./problem.ts";
import { loadTexts } from "./texts/texts.ts";

test.each<[string, number, object, string]>([
  ["a proxy", 502, {}, "Сервис занят. Попробуйте чуть позже."],
  ["the service", 503, { error: "UNAVAILABLE" }, "Сервис занят. Попробуйте чуть позже."],
  [
    "bad input",
    400,
    { error: "VALIDATION_ERROR", data: { fields: [{ field: "name", message: "must not be empty" }] } },
    "Заполните это поле.",
  ],
  [
    "what the messenger does not accept",
    400,
    {
      error: "VALIDATION_ERROR",
      data: { fields: [{ field: "pairing_phone", message: "is not on WhatsApp" }] },
    },
    "Сервис этого не принял: is not on WhatsApp",
  ],
])("an error of %s in the reader's language", async (_, status, body, text) => {
  await loadTexts("ru");
  expect(problemOf(new Refusal(new Response(null, { status }), body))).toBe(text);
});
