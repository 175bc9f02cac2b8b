import fc, { type Arbitrary } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendMessage } from "../../../src/core/message/send.ts";
import type { OpenApiDocument } from "../../../src/http/openapi/document.ts";
import type { Operation, Parameter } from "../../../src/http/openapi/operation.ts";
import { newId } from "../../../src/platform/ids.ts";
import { describeInterface } from "../../kit/interface.ts";
import { type KnownValues, valid } from "../kit/arbitrary.ts";
import { broken, RAW_BODIES } from "../kit/broken.ts";
import { call } from "../kit/call.ts";
import { faultOf } from "../kit/described-answer.ts";
import { addPartner, REDIRECT, type TestPartner } from "../kit/partner.ts";
import {
  addAccount,
  addChannel,
  addTemplate,
  startNode,
  type TestAccount,
  type TestNode,
} from "../kit/service.ts";

/** Requests of each route. An hour's search: FUZZ_RUNS=2000. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 30);
/** Time for a route's requests; on a busy machine there are fewer of them. */
const BUDGET_MS = process.env["FUZZ_RUNS"] === undefined ? 300 : Number.POSITIVE_INFINITY;
const TIMEOUT_MS = 60_000 + RUNS * 200;
/** An answer that takes longer hangs. */
const PATIENCE_MS = 30_000;

const document: OpenApiDocument = await describeInterface();
/** Those that remove or stop things last, so that the others find something. */
const OPERATIONS = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  .toSorted((a, b) => Number(removes(a.operation)) - Number(removes(b.operation)));

function removes({ operationId }: Operation): boolean {
  return /^(reinit|remove|bulkDelete|revoke)/.test(operationId);
}

/** Chat types by transport, a channel of each. */
const CHANNELS = {
  telegram: "telegram",
  whatsapp: "whatsapp",
  wapi: "whatsapp",
  maxbot: "max",
  viber: "viber",
};
const CHAT_TYPES = Object.values(CHANNELS);

let node: TestNode;
let account: TestAccount;
let partner: TestPartner;
let known: KnownValues;

beforeAll(async () => {
  node = await startNode();
  account = await addAccount(node.db);
  partner = await addPartner(node);
  const channels = await Promise.all(
    Object.keys(CHANNELS).map((transport) => addChannel(node, account, { transport, businessId: "shop" })),
  );
  const templateId = await addTemplate(node, account, { transport: "wapi", businessId: "shop" });
  const messageId = await queuedMessage(channels[0] ?? "");
  known = {
    channelId: channels,
    id: [messageId, ...channels, "1", templateId],
    templateId: [templateId],
    quotedMessageId: [messageId],
    refMessageId: [messageId],
    chatId: ["100", "-5"],
    userId: ["1"],
    phone: ["79990001122"],
    telegramToken: ["good:1", "good:2", "away", "bad"],
    credentials: [{ telegram_token: "good:7" }, { key: "good:1@shop" }, {}],
    url: ["http://127.0.0.1:9/a", "ftp://example.com", "http://10.0.0.1/"],
    contentUri: ["http://127.0.0.1:9/a", "http://10.0.0.1/"],
    webhooksUri: ["", "http://127.0.0.1:9/hook", "http://10.0.0.1/"],
    limit: ["0", "1", "100000"],
    offset: ["0", "1"],
    from: ["2020-01-01"],
    startAt: ["2020-01-01T00:00:00Z"],
    endAt: ["2020-02-01T00:00:00Z"],
    clientId: [partner.clientId],
    redirectUri: [REDIRECT],
    accountId: [String(account.id)],
  };
});
afterAll(() => node.stop());

/** Never sent, because this test runs no sender: changing it is refused without a request to a messenger. */
async function queuedMessage(channelId: string): Promise<string> {
  const recipient = { chatType: "telegram", chatId: "100" };
  const request = { channelId, recipient, text: "Earlier" };
  return (await sendMessage(node.core, { accountId: account.id }, request, null)).messageId;
}

type Json = Readonly<Record<string, unknown>>;
/** Bodies of any fields would be refused for having too much; these have what goes together. */
const LIKELY: Readonly<Record<string, (body: Json) => Json>> = {
  sendMessage: (body) => oneOf(body, ["text", "attachment", "template"]),
  sendV3Message: (body) => oneOf(body, ["text", "contentUri", "templateId"]),
  editMessage: (body) => oneOf(body, ["text", "attachment"]),
  editV3Message: (body) => oneOf(body, ["text", "contentUri"]),
};

/** With one of these contents, and for a channel of ours mostly a chat that it has. */
function oneOf(body: Json, contents: readonly string[]): Json {
  const given = contents.filter((name) => (body[name] ?? "") !== "");
  const chosen = given[JSON.stringify(body).length % given.length];
  const others = [...contents.filter((name) => name !== chosen), "buttons"];
  return Object.fromEntries(Object.entries(withChatType(body)).filter(([name]) => !others.includes(name)));
}

function withChatType(body: Json): Json {
  const chatType = CHAT_TYPES[(known["channelId"] ?? []).indexOf(body["channel_id"] ?? body["channelId"])];
  if (chatType === undefined) return body;
  if ("chatType" in body) return { ...body, chatType };
  return "recipient" in body
    ? { ...body, recipient: { ...(body["recipient"] as Json), chat_type: chatType } }
    : body;
}

interface Request {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly raw: string | Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Half of them as the description wants them, half with something wrong. */
function requestsOf({ operationId, parameters = [], requestBody }: Operation): Arbitrary<Request> {
  const schema = requestBody?.content["application/json"]?.schema;
  const likely = LIKELY[operationId] ?? ((body: Json) => body);
  const body =
    schema === undefined ? fc.constant(undefined) : valid(schema, known).map((each) => likely(each as Json));
  const inPath = valuesOf(parameters, "path");
  const inQuery = valuesOf(parameters, "query");
  const sound = fc.record({
    path: inPath,
    query: inQuery,
    body,
    raw: fc.constant(null),
    headers: fc.constant({}),
  });
  const unsound = fc.record({
    path: fc.oneof(inPath, fc.dictionary(fc.constantFrom(...namesOf(parameters, "path")), segment())),
    query: fc.oneof(inQuery, fc.dictionary(fc.constantFrom(...namesOf(parameters, "query")), unsoundText())),
    body: schema === undefined ? fc.jsonValue({ maxDepth: 1 }) : broken(body),
    raw: fc.option(fc.constantFrom(...RAW_BODIES), { nil: null, freq: 5 }),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      {},
      {},
      { "content-type": "text/plain" },
      { "content-type": "application/json; charset=latin1" },
      { "content-type": "" },
      { "idempotency-key": "a" },
      { "idempotency-key": "x".repeat(300) },
      { authorization: "Bearer nobody" },
    ),
  });
  return fc.oneof(sound, unsound);
}

function namesOf(parameters: readonly Parameter[], place: Parameter["in"]): string[] {
  const names = parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  return names.length === 0 ? ["unknown"] : names;
}

function valuesOf(
  parameters: readonly Parameter[],
  place: Parameter["in"],
): Arbitrary<Record<string, unknown>> {
  const own = parameters.filter((parameter) => parameter.in === place);
  const values = own.map(({ name, required, schema }) => {
    const value = valid(schema, known, name);
    return [name, required ? value : fc.option(value, { nil: undefined, freq: 1 })] as const;
  });
  return fc.record(Object.fromEntries(values));
}

/** One part of a path; "." and ".." would be taken for directions. */
function segment(): Arbitrary<string> {
  return fc.oneof(fc.string({ minLength: 1, maxLength: 200 }), fc.constant("a\0b"));
}

/** PostgreSQL has no NUL character. */
function unsoundText(): Arbitrary<string> {
  return fc.oneof(fc.string(), fc.constant("a\0b"));
}

function urlOf(path: string, { path: places, query }: Request): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name) => pathPart(places[name]));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value).toWellFormed()] as [string, string]],
  );
  return `${filled}?${new URLSearchParams(pairs)}`;
}

function pathPart(value: unknown): string {
  const part = String(value ?? "x").toWellFormed();
  return /^\.*$/.test(part) ? "x" : encodeURIComponent(part);
}

function credentialsOf(
  { security }: Operation,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const [scheme = ""] = security.flatMap((each) => Object.keys(each));
  const tokens: Readonly<Record<string, string>> = {
    accessToken: `Bearer ${account.access}`,
    apiKey: `Bearer ${account.api}`,
    partner: partner.headers.authorization,
  };
  const authorization = tokens[scheme];
  return { ...(authorization === undefined ? {} : { authorization }), ...own };
}

type Method = Parameters<typeof call>[1];

test.each(OPERATIONS)(
  "$method $path responds as described to any request",
  async (listed) => {
    const { method, path, operation } = listed;
    const until = performance.now() + BUDGET_MS;
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async (request) => {
        if (performance.now() > until) return;
        const answer = await Promise.race([
          call(node, method as Method, urlOf(path, request), {
            headers: credentialsOf(operation, request.headers),
            ...(request.raw !== null ? { raw: request.raw } : { body: request.body }),
          }),
          late(),
        ]);
        expect(faultOf(document, operation, answer)).toBeNull();
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

/** Pages, files and callbacks of messengers: not in the description, and without authentication. */
const OTHERS = [
  "GET /connect/{transport}",
  "GET /connect/{transport}/{channelId}",
  "GET /app/assets/{name}",
  "POST /app/api/sessions",
  "POST /app/api/link-origins",
  "GET /connect/{transport}/{channelId}/start",
  "POST /app/api/sign-ins/{transport}/questions",
  "POST /app/api/sign-ins/{transport}/departures",
  "POST /app/api/sign-ins/{transport}/continuations",
  "GET /app/api/channels/{id}",
  "GET /files/{key}",
  "GET /files/{key}/{name}",
  "POST /nowhere/{key}",
  "GET /files/exports/{key}/{name}",
  "POST /in/{transport}",
  "POST /in/{transport}/{channelId}",
  "PUT /in/{transport}/{channelId}/{rest}",
  "POST /v2/oauth/authorize",
];

test.each(OTHERS)("%s survives any request", async (route) => {
  const [method = "", path = ""] = route.split(" ");
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const places = names.map(
    (name) => [name, fc.oneof(fc.constantFrom(...placeValues(name)), segment())] as const,
  );
  const requests = fc.record({
    path: fc.record(Object.fromEntries(places)),
    query: fc.dictionary(fc.constantFrom(...QUERY), fc.oneof(unsoundText(), fc.constantFrom(...urls()))),
    body: fc.constant(null),
    raw: fc.oneof(fc.constantFrom(...RAW_BODIES), fc.string(), fc.string({ unit: "binary" })),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      { "content-type": "application/x-www-form-urlencoded" },
      { "content-type": "multipart/form-data" },
      { range: "bytes=5-1" },
      { cookie: "session=%00; csrf" },
      { "x-secret": "x", "x-hub-signature-256": "sha256=zz" },
    ),
  });
  const until = performance.now() + BUDGET_MS;
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      if (performance.now() > until) return;
      const { headers, raw } = request;
      const content = method === "GET" ? {} : { raw };
      const asked = call(node, method as Method, urlOf(path, request), { headers, ...content });
      const { status, text } = await Promise.race([asked, late()]);
      expect(status, text).toBeLessThan(500);
    }),
    { numRuns: RUNS },
  );
});

const QUERY = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "key",
  "code",
  "t",
];

function urls(): string[] {
  return [partner.clientId, REDIRECT, "code", "S256", "transport,crm"];
}

function placeValues(name: string): string[] {
  const channels = (known["channelId"] ?? []).map(String);
  return name === "transport" ? Object.keys(CHANNELS) : [...channels, newId(), "x".repeat(43)];
}

function late(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  setTimeout(() => reject(new Error("There was no answer in time")), PATIENCE_MS).unref();
  return promise;
}

test("a route that does not exist", async () => {
  expect((await call(node, "GET", `/v3/${newId()}`)).json).toMatchObject({ error: "NOT_FOUND" });
});
