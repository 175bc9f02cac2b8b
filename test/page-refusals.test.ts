import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FastifySchemaValidationError } from "fastify";
import { expect, test } from "vitest";
import { PHONE_RULE } from "../src/core/chat/names.ts";
import { MAX_PINNED } from "../src/core/inbox/chat-list.ts";
import { MESSAGE_ERROR_CODES } from "../src/core/transport/errors.ts";
import { answerOf, codesOf } from "../src/http/openapi/answer.ts";
import type { JsonSchema } from "../src/http/openapi/json-schema.ts";
import { fieldsError } from "../src/http/schema/fields.ts";
import { describeInterface, withoutReferences } from "./kit/interface.ts";

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

/** The operations that the page's sources name. */
function operationsOf(page: string) {
  const sources = globSync(`${page}/**/*.{ts,tsx}`, { cwd: WEB })
    .filter((file) => !file.endsWith("/operations.ts"))
    .map((file) => readFileSync(`${WEB}/${file}`, "utf8"))
    .join("\n");
  return Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ operationId }) => sources.includes(`"${operationId}"`));
}

/** The codes of the page's operations. */
function codesOfPage(page: string): ReadonlySet<string> {
  const responses = operationsOf(page).flatMap((operation) => Object.values(operation.responses));
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

/** Fields that a person types, or whose length follows from what is typed, in the bodies of a page's requests. */
const TYPED: Readonly<Record<string, RegExp>> = {
  chat: /^(text|name|to\.username)$/,
  connect: /^(name|phone|secret)$/,
  console:
    /^(name|email|login|password|current|next|code|origins.*|redirectUris.*|(chat_)?per_minute|jitter_ms|first_contacts_per_day|warm_up_days)$/,
};
/** Of limits that the page's own forms keep. */
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  // Canned answers have a form that checks both; the name of a person is typed in the messenger's form, or is a username.
  chat: new Set([
    "must have at most 40 characters",
    "must have at most 4096 characters",
    "must be one word without a slash",
    "must have at most 255 characters",
    "must not be empty or have control characters",
  ]),
  console: new Set(["must have at most 20 characters"]),
};
/** What core says beyond the schemas, with the file that says it. */
const OF_CORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chat: {
    [`at most ${MAX_PINNED} chats can be pinned`]: "core/inbox/seen.ts",
    "must be in the future, at most a year ahead": "core/inbox/work.ts",
    "must be an id of this chat type": "core/chat/names.ts",
    [PHONE_RULE]: "core/chat/names.ts",
  },
  connect: {
    "is required": "core/channel/credentials/checked-credentials.ts",
    "has a wrong format": "core/channel/credentials/checked-credentials.ts",
    "must not have NUL characters": "http/schema/nul.ts",
    [PHONE_RULE]: "core/chat/names.ts",
  },
  console: {
    "must have at least 12 characters": "core/operator/links.ts",
    "must be letters, digits and ._@+- without spaces": "core/operator/links.ts",
    "is already in use": "core/operator/links.ts",
    "must be origins such as https://crm.example": "http/app/console/accounts.ts",
    "must be later than start_at": "http/v2/messages/exports.ts",
    "must not lie in the future": "http/v2/messages/exports.ts",
    "must lie between 1970 and 2100": "http/v2/messages/exports.ts",
    "must not have NUL characters": "http/schema/nul.ts",
  },
};
const LIMITS = ["minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems"] as const;

/** What the service says of values beyond the limits of a schema, by field. */
function messagesOf(schema: JsonSchema, place = ""): readonly (readonly [field: string, message: string])[] {
  const own = LIMITS.filter((keyword) => schema[keyword] !== undefined).map((keyword) => {
    const params = { limit: schema[keyword], pattern: schema[keyword] };
    const fault = { keyword, instancePath: place, params } as unknown as FastifySchemaValidationError;
    const [{ field, message }] = (
      fieldsError([fault]).data as { fields: [{ field: string; message: string }] }
    ).fields;
    return [field.replace(/\[\d+\]$/, ""), message] as const;
  });
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, each]) => messagesOf(each, `${place}/${name}`)),
    ...(schema.items === undefined ? [] : [messagesOf(schema.items, `${place}/0`)]),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((each) => messagesOf(each, place)),
  ];
  return [...own, ...inner.flat()];
}

/** What the service says of fields that a person types in the page. */
function typedMessages(page: string): ReadonlySet<string> {
  const bodies = operationsOf(page).flatMap(({ requestBody }) => {
    const schema = requestBody?.content["application/json"]?.schema;
    return schema === undefined ? [] : [withoutReferences(document, schema)];
  });
  const typed = bodies.flatMap((body) => messagesOf(body)).filter(([field]) => TYPED[page]?.test(field));
  const messages = typed.map(([, message]) => message).filter((message) => KEPT[page]?.has(message) !== true);
  return new Set([...messages, ...Object.keys(OF_CORE[page] ?? {})]);
}

test.each(PAGES.flatMap((each) => LANGUAGES.map((language) => ({ ...each, language }))))(
  "the page $page has a text in $language for what is wrong with each field, and no other",
  async ({ page, texts, language }) => {
    const known = (await codesWithText(texts, language)).filter((key) => key.includes(" "));
    expect(known.toSorted()).toEqual([...typedMessages(page)].toSorted());
  },
);

test.each(PAGES.map(({ page }) => page))("core says what the page %s has texts for", (page) => {
  for (const [message, file] of Object.entries(OF_CORE[page] ?? {})) {
    const source = readFileSync(fileURLToPath(new URL(`../src/${file}`, import.meta.url)), "utf8");
    const [before = "", after = ""] = message.split(/\d+(?: and 2100)?/);
    for (const part of [before, after]) expect(source, message).toContain(part);
  }
});
