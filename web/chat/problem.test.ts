import { beforeAll, expect, test } from "vitest";
import { NoConnection, Refusal } from "../kit/api/client.ts";
import { problemOf } from "./problem.ts";
import { loadLaterTexts, loadTexts } from "./texts/texts.ts";

beforeAll(() => Promise.all([loadTexts("ru"), loadLaterTexts("ru")]));

const refusal = (status: number, body: object) => new Refusal(new Response(null, { status }), body);
const pinned = [{ field: "pinned", message: "at most 50 chats can be pinned" }];
const fields = [{ field: "search", message: "must NOT have more than 100 characters" }];

test.each([
  ["no connection", new NoConnection("The service cannot be reached"), "Нет связи с сервисом."],
  ["a proxy", refusal(502, {}), "Сервис занят. Попробуйте чуть позже."],
  ["the service", refusal(503, { error: "UNAVAILABLE" }), "Сервис занят. Попробуйте чуть позже."],
  ["a proxy's limit", refusal(413, {}), "Сообщение или файл слишком большие."],
  [
    "a session that is over",
    refusal(401, { error: "INVALID_APIKEY" }),
    "Сеанс завершён. Откройте чат из CRM ещё раз.",
  ],
  [
    "one chat too many",
    refusal(400, { error: "VALIDATION_ERROR", data: { fields: pinned } }),
    "Закрепить можно не больше 50 чатов.",
  ],
  [
    "bad input",
    refusal(400, { error: "VALIDATION_ERROR", data: { fields } }),
    "Сервис не принял введённые данные.",
  ],
])("an error in the reader's language: %s", (_, error, text) => expect(problemOf(error)).toBe(text));
