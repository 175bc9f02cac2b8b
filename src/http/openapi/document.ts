import type { Answer } from "./answer.ts";
import { AUTHORIZE, AUTHORIZE_PATH } from "./authorize-page.ts";
import { sharedAnswers } from "./error-answers.ts";
import { type JsonSchema, openApiSchema } from "./json-schema.ts";
import { type Operation, operationOf } from "./operation.ts";
import type { Route } from "./routes.ts";
import { type Webhook, webhooks } from "./webhooks.ts";

/** The description of the interface, as far as our code depends on its structure. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Webhook>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

/** Version of the interface's description; the same as the package's. */
export const VERSION = "0.1.0";

const INTRODUCTION = `Trunkline links messenger accounts, called **channels**, to your application.

**Tokens.** Routes below \`/v2\` take the access token of a client account, routes below \`/v3\` its API key, both as \`Authorization: Bearer …\`. A sidecar API key opens the \`/v3\` routes for channels, messages and templates only, and reads the settings of webhooks. Partners open \`/v2/accounts\` and \`/v2/oauth/token\` with e-mail and password.

**Sending is asynchronous.** An accepted message has an id; what becomes of it (\`sent\`, \`delivered\`, \`read\`, \`error\`) comes by webhook. Subscribe before you connect channels.

**Requests.** Bodies are JSON. \`null\` in an optional field means that it is absent. Nothing is converted: \`"2"\` is not a number. A field that a route does not know is refused on \`/v2\` and ignored on \`/v3\`. A trailing slash never matters.

**Repeating.** Every POST takes an \`Idempotency-Key\` (at most 255 characters, kept for 24 hours): the same key with the same body gives the same answer and has no second effect.

**Errors** are \`{error, description, data?}\`: a code for programs, a sentence for people, and what else there is to know. Faulty fields are all told at once, in \`data.fields\`.

**Limits.** 1000 requests per minute and account, unless the operator set another limit; \`X-RateLimit-Remaining\` tells what is left, \`Retry-After\` how long to wait after a 429. A body has at most 64 KB and 5000 values (objects, lists, texts, numbers, \`true\`, \`false\`, \`null\`), unless its route says otherwise; larger ones are answered with 413 \`BODY_TOO_LARGE\`, and of faulty fields the first 20 are named.`;

const TAGS = [
  { name: "channels", description: "Messenger accounts: connect, look at, connect again, remove" },
  { name: "messages", description: "Send, edit and delete messages; their fate comes by webhook" },
  { name: "templates", description: "Templates of the business API" },
  { name: "webhooks", description: "Where events go, what has been delivered, and how to get it again" },
  {
    name: "crm",
    description: "What your CRM tells: users, contacts, deals, sales funnels, unanswered messages",
  },
  { name: "chats", description: "Links to the page of chats" },
  { name: "accounts", description: "Client accounts of a partner" },
  { name: "oauth", description: "Tokens for partners, their clients and applications" },
  { name: "pages", description: "What the pages for people ask" },
  { name: "console", description: "What the console of operators asks" },
  { name: "events", description: "What the service sends to your address" },
  { name: "operations", description: "For orchestrators and monitors" },
] as const;

/** Builds the whole description from the routes. Pure. */
export function openApiDocument(routes: readonly Route[], error: object): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, "{$1}");
    const operations = paths[path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route);
    paths[path] = operations;
  }
  const used = new Set(routes.flatMap(({ schema }) => schema.tags ?? []));
  const { $id: _id, ...schema } = openApiSchema(error as JsonSchema);
  return {
    openapi: "3.1.0",
    info: {
      title: "Trunkline",
      version: VERSION,
      description: INTRODUCTION,
      ...{ license: { name: "MIT", identifier: "MIT" } },
    },
    ...{ servers: [{ url: "/", description: "This installation" }] },
    tags: TAGS.filter(({ name }) => used.has(name) || name === "events"),
    paths: { ...paths, [AUTHORIZE_PATH]: { get: AUTHORIZE } },
    webhooks: webhooks(),
    components: {
      schemas: { Error: schema },
      responses: sharedAnswers(),
      ...{ securitySchemes: SECURITY_SCHEMES },
    },
  };
}

const SECURITY_SCHEMES = {
  accessToken: { type: "http", scheme: "bearer", description: "Access token of a client account" },
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "API key of a client account, or its sidecar API key",
  },
  partner: { type: "http", scheme: "basic", description: "E-mail and password of a partner" },
};
