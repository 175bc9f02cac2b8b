import { expect, test } from "vitest";
import { ERRORS } from "../src/core/errors.ts";
import { MESSAGE_ERROR_CODES } from "../src/core/transport/errors.ts";
import { answerOf, codesOf } from "../src/http/openapi/answer.ts";
import { expectSection } from "./kit/generated-page.ts";
import { describeInterface } from "./kit/interface.ts";
import { MESSAGE_ERROR_MEANINGS } from "./kit/message-errors.ts";

const document = await describeInterface();
const PAGE = new URL("../docs/errors.md", import.meta.url);
/** Above this only their number is given. */
const MAX_ROUTES = 8;
/** Of requests that reach no route. */
const ANYWHERE = ["NOT_FOUND", "METHOD_NOT_ALLOWED"];

test("docs/errors.md has every error of the catalogue, with the routes that answer it", () => {
  const routes = new Map<string, string[]>(Object.keys(ERRORS).map((code) => [code, []]));
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(operations))
      for (const code of new Set(
        Object.values(responses).flatMap((each) => codesOf(answerOf(document, each))),
      ))
        routes.get(code)?.push(`\`${method.toUpperCase()} ${path}\``);
  const rows = Object.entries(ERRORS).map(
    ([code, [status, description]]) =>
      `| <a id="${code}"></a>\`${code}\` | ${status} | ${description} | ${placesOf(code, routes.get(code) ?? [])} |`,
  );
  expectSection(
    PAGE,
    "errors",
    ["| error | Status | description | Where |", "|---|---|---|---|", ...rows].join("\n"),
  );
});

function placesOf(code: string, routes: readonly string[]): string {
  if (ANYWHERE.includes(code)) return "anywhere";
  if (routes.length === 0) return "the chat page";
  return routes.length <= MAX_ROUTES ? routes.join(", ") : `${routes.length} routes`;
}

test("docs/errors.md has every error of messages", () => {
  expect(Object.keys(MESSAGE_ERROR_MEANINGS)).toEqual([...MESSAGE_ERROR_CODES]);
  const rows = MESSAGE_ERROR_CODES.map((code) => `| \`${code}\` | ${MESSAGE_ERROR_MEANINGS[code]} |`);
  expectSection(PAGE, "message errors", ["| error | Meaning |", "|---|---|", ...rows].join("\n"));
});
