import type { Answer, Header } from "./answer.ts";
import { AUTHORIZE, AUTHORIZE_PATH } from "./authorize-page.ts";
import { sharedAnswers } from "./error-answers.ts";
import { HEADERS } from "./headers.ts";
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
    readonly headers: Readonly<Record<string, Header>>;
  };
}

/** Version of the interface's description; the same as the package's. */
export const VERSION = "0.1.0";

const INTRODUCTION = `Trunkline links messenger accounts, called **channels**, to your application.

**Tokens.** Routes below \`/v2\` take the access token of a client account, routes below \`/v3\` its API key, both as \`Authorization: Bearer …\`. A sidecar API key is valid only for the \`/v3\` routes of channels, messages and templates, and for reading webhook settings; an agent token only for reading below \`/v2\` and for proposing messages. Partners use \`/v2/accounts\` and \`/v2/oauth/token\` with e-mail and password.

**Sending is asynchronous.** An accepted message has an id; webhooks report its status (\`sent\`, \`delivered\`, \`read\`, \`error\`). Subscribe before you connect channels.

**Requests.** Bodies are JSON. \`null\` in an optional field means that it is absent. Values are not converted: \`"2"\` is not a number. Unknown fields are rejected on \`/v2\` and ignored on \`/v3\`. A trailing slash has no effect.

**Retries.** Every POST accepts an \`Idempotency-Key\` (at most 255 characters, kept for 24 hours): the same key with the same body returns the same response and has no second effect.

**Errors** are \`{error, description, data?}\`: a code for programs, a sentence for people, and details. All invalid fields are reported together, in \`data.fields\`.

**Limits.** 1000 requests per minute and account, unless the operator has set another limit; \`X-RateLimit-Remaining\` is what remains (also as \`RateLimit\` and \`RateLimit-Policy\`), \`Retry-After\` the time to wait after a 429. A body has at most 64 KB and 5000 values (objects, lists, texts, numbers, \`true\`, \`false\`, \`null\`), unless its route says otherwise; larger bodies return 413 \`BODY_TOO_LARGE\`. At most 100 invalid fields are reported; of contacts, deals, users and pipelines every invalid one, with at most 100 fields each.`;

const TAGS = [
  { name: "channels", description: "Messenger accounts: connect, inspect, reconnect, delete" },
  { name: "messages", description: "Send, edit and delete messages; webhooks report their status" },
  { name: "templates", description: "Templates of the WhatsApp Business Platform" },
  { name: "webhooks", description: "Receivers, the delivery log, and replay" },
  {
    name: "crm",
    description: "Data of your CRM: users, contacts, deals, pipelines, unanswered messages",
  },
  { name: "chats", description: "Chats and their messages, and links to the chat page" },
  { name: "groups", description: "Groups in the messenger: their name, picture, members and roles" },
  { name: "accounts", description: "Client accounts of a partner" },
  { name: "oauth", description: "Tokens for partners, their clients and applications" },
  { name: "pages", description: "Routes of the pages" },
  { name: "console", description: "Routes of the console" },
  { name: "events", description: "Requests that the service sends to your address" },
  { name: "operations", description: "For orchestrators and monitoring" },
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
      ...{ contact: { name: "Trunkline" } },
      ...{ license: { name: "MIT", identifier: "MIT" } },
    },
    ...{ servers: [{ url: "/", description: "This installation" }] },
    tags: TAGS.filter(({ name }) => used.has(name) || name === "events"),
    paths: { ...paths, [AUTHORIZE_PATH]: { get: AUTHORIZE } },
    webhooks: webhooks(),
    components: {
      schemas: { Error: schema },
      responses: sharedAnswers(routes),
      headers: HEADERS,
      ...{ securitySchemes: SECURITY_SCHEMES },
    },
  };
}

const SCOPES = {
  transport: "Channels, messages, templates, chats and links to pages",
  crm: "Users, contacts, deals, pipelines and unanswered messages",
};

const SECURITY_SCHEMES = {
  oauth: {
    type: "oauth2",
    description: "An application acts for an account with the rights that a person has given it",
    flows: {
      authorizationCode: {
        authorizationUrl: AUTHORIZE_PATH,
        tokenUrl: "/v2/oauth/token",
        refreshUrl: "/v2/oauth/token",
        scopes: SCOPES,
      },
    },
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    description: "Access token of a client account, or its agent token",
  },
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "API key of a client account, or its sidecar API key",
  },
  partner: { type: "http", scheme: "basic", description: "E-mail and password of a partner" },
};
