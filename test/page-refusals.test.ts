import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { MESSAGE_ERROR_CODES } from "../src/core/transport/errors.ts";
import { answerOf, codesOf } from "../src/http/openapi/answer.ts";
import { describeInterface } from "./kit/interface.ts";

// Pages show refusals in the reader's language.

const document = await describeInterface("/app/openapi.json");
const WEB = fileURLToPath(new URL("../web", import.meta.url));

/** Of requests that no page writes: other types of body, keys of idempotency, addresses of files, two contents at once. */
const UNWRITTEN = new Set([
  "ATTACHMENT_URL_NOT_ALLOWED",
  "IDEMPOTENCY_IN_PROGRESS",
  "IDEMPOTENCY_KEY_REUSED",
  "INVALID_JSON",
  "MESSAGE_ONLY_TEXT_OR_CONTENT",
  "UNSUPPORTED_MEDIA_TYPE",
]);

interface PageRefusals {
  readonly page: string;
  /** The folder and the part that have the texts. */
  readonly texts: readonly [folder: string, part: string];
  /** Codes that have their text elsewhere, with the file that chooses it. */
  readonly elsewhere: Readonly<Record<string, string>>;
}
const PAGES: readonly PageRefusals[] = [
  {
    page: "chat",
    texts: ["chat/texts/later", "errors"],
    elsewhere: {
      CANNED_ANSWER_CHANGED: "canned/draft.ts",
      CANNED_ANSWER_NAME_TAKEN: "canned/draft.ts",
      CANNED_ANSWER_NOT_FOUND: "canned/draft.ts",
      UNAVAILABLE: "problem.ts",
    },
  },
  {
    page: "connect",
    texts: ["connect/texts", "refusals"],
    elsewhere: { PASSKEY_REFUSED: "passkey.tsx", WRONG_PASSWORD: "phone-steps.tsx" },
  },
  { page: "console", texts: ["console/texts", "refusals"], elsewhere: {} },
];

const LANGUAGES = ["en", "ru", "es", "pt"];

/** The codes that have a text in a language. Imported by address, because texts are compiled for browsers. */
async function codesWithText([folder, part]: PageRefusals["texts"], language: string): Promise<string[]> {
  const module = await import(`${WEB}/${folder}/${language}.ts`);
  return Object.keys(module[language][part]);
}

/** The codes of the operations that the page's sources name. */
function codesOfPage(page: string): ReadonlySet<string> {
  const sources = globSync(`${page}/**/*.{ts,tsx}`, { cwd: WEB })
    .filter((file) => !file.endsWith("/operations.ts"))
    .map((file) => readFileSync(`${WEB}/${file}`, "utf8"))
    .join("\n");
  const responses = Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ operationId }) => sources.includes(`"${operationId}"`))
    .flatMap((operation) => Object.values(operation.responses));
  return new Set(responses.flatMap((each) => codesOf(answerOf(document, each))));
}

test.each(PAGES.flatMap((each) => LANGUAGES.map((language) => ({ ...each, language }))))(
  "the page $page has a text in $language for each refusal that it can get",
  async ({ page, texts, elsewhere, language }) => {
    const codes = codesOfPage(page);
    expect(codes.size).toBeGreaterThan(15);
    const known = new Set([
      ...(await codesWithText(texts, language)),
      ...Object.keys(elsewhere),
      ...UNWRITTEN,
    ]);
    expect([...codes].filter((code) => !known.has(code))).toEqual([]);
    for (const [code, file] of Object.entries(elsewhere))
      expect(readFileSync(`${WEB}/${page}/${file}`, "utf8"), file).toContain(`"${code}"`);
  },
);

/** Of the codes with a text, only errors of a message reach a page otherwise than as a refusal. */
const IN_DATA: Readonly<Record<string, readonly string[]>> = { chat: MESSAGE_ERROR_CODES };

test.each(PAGES.flatMap((each) => LANGUAGES.map((language) => ({ ...each, language }))))(
  "the page $page has no text in $language for a refusal that it cannot get",
  async ({ page, texts, language }) => {
    const possible = new Set([...codesOfPage(page), ...(IN_DATA[page] ?? [])]);
    const written = (await codesWithText(texts, language)).filter((key) => /^[A-Z\d_]+$/.test(key));
    expect(written.length).toBeGreaterThan(15);
    expect(written.filter((code) => !possible.has(code))).toEqual([]);
  },
);

test.each(PAGES)("each text that the page $page has elsewhere is of a refusal that it can get", (each) => {
  const possible = codesOfPage(each.page);
  expect(Object.keys(each.elsewhere).filter((code) => !possible.has(code))).toEqual([]);
});

test.each(LANGUAGES)("the chat page has a text in %s for each error of a message", async (language) => {
  const known = await codesWithText(["chat/texts/later", "errors"], language);
  expect(MESSAGE_ERROR_CODES.filter((code) => !known.includes(code))).toEqual([]);
});
