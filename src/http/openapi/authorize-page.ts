import type { Operation, Parameter } from "./operation.ts";
import { exampleOf } from "./page/example.ts";

/** Path and description of the page where a person authorises an application. */
export const AUTHORIZE_PATH = "/v2/oauth/authorize";

/** A page for browsers: it validates its parameters itself and responds with HTML, also for errors. */
export const AUTHORIZE: Operation = {
  operationId: "authorizeApplication",
  tags: ["oauth"],
  summary: "The page where a person authorises an application",
  description:
    "For browsers: the application redirects the person here (authorization code with PKCE, RFC 6749 and RFC 7636). The person signs in with an API key or access token of the account and grants or denies access. The browser is then redirected to `redirect_uri` with `code` and `state`, or with `error`, `error_description` and `state`. Exchange the code at `POST /v2/oauth/token`. Each parameter may occur only once.",
  security: [],
  parameters: [
    parameter("response_type", "Always `code`", { type: "string", enum: ["code"] }),
    parameter("client_id", "Id of the application", { type: "string", minLength: 1, maxLength: 200 }),
    parameter("redirect_uri", "A registered address of the application, to which the browser is redirected", {
      type: "string",
      format: "uri",
      maxLength: 2_000,
      examples: ["https://crm.example/callback"],
    }),
    parameter("scope", "What the application may do: `transport`, `crm`, or both, separated by a comma", {
      type: "string",
      maxLength: 200,
      examples: ["transport,crm"],
    }),
    parameter("state", "Returned unchanged, so that the application recognises its request", {
      type: "string",
      minLength: 1,
      maxLength: 2_000,
    }),
    parameter("code_challenge", "SHA-256 of the code verifier, in base64url", {
      type: "string",
      pattern: "^[\\w-]{43}$",
      examples: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"],
    }),
    parameter("code_challenge_method", "Always `S256`", { type: "string", enum: ["S256"] }),
  ],
  responses: {
    "200": page("The page: sign in, or allow and deny"),
    "303": {
      description:
        "Back to `redirect_uri` with `error`: `invalid_request`, `unsupported_response_type` or `invalid_scope`. Once the person has decided, the page leads there with `code`, or with `error` `access_denied`.",
      headers: {
        Location: {
          description: "`redirect_uri` with the result in its query",
          schema: { type: "string", format: "uri" },
        },
      },
    },
    "400": page(
      "An error page: `client_id` is unknown, or `redirect_uri` is not registered. The browser is not redirected to an unregistered address",
    ),
  },
};

function parameter(name: string, description: string, schema: Parameter["schema"]): Parameter {
  return { name, in: "query", required: true, description, schema, example: exampleOf(schema, name) };
}

function page(description: string): Operation["responses"][string] {
  return { description, content: { "text/html": { schema: { type: "string" } } } };
}
