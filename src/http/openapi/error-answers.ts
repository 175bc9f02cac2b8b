import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import { isAgentRoute, isSidecarRoute } from "../limit/admission.ts";
import { ANSWERS, type Answer, type Reference } from "./answer.ts";
import { bodyOf, type Route, securityOf } from "./routes.ts";

/** The error responses of a route by status, each with its possible codes. */
export function errorAnswersOf(route: Route): Record<string, Answer | Reference> {
  if (route.schema.tags?.includes("operations") === true) return { "431": LONG_HEADERS };
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERRORS[code][0]);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => [String(status), sharedAnswer(codes) ?? errorAnswer(status, codes)]),
  );
}

/** The only refusal of routes that read nothing of the request. */
const LONG_HEADERS: Answer = { description: "The headers of the request are longer than 16 KB" };

/** Error responses of most routes are described once. */
const SHARED: Readonly<Record<string, readonly ErrorCode[]>> = {
  Unauthorized: ["INVALID_APIKEY"],
  Forbidden: ["FORBIDDEN"],
  KeyReused: ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS"],
  BodyTooLarge: ["BODY_TOO_LARGE"],
  UnsupportedMediaType: ["UNSUPPORTED_MEDIA_TYPE"],
  TooManyRequests: ["TOO_MANY_REQUESTS"],
  InternalError: ["INTERNAL_ERROR"],
  Unavailable: ["UNAVAILABLE"],
  FaultyBody: ["VALIDATION_ERROR", "INVALID_JSON"],
  NoJson: ["INVALID_JSON"],
  FaultyRequest: ["VALIDATION_ERROR"],
  FaultyMessage: ["INVALID_MESSAGE_DATA", "INVALID_JSON"],
};

function sharedAnswer(codes: readonly ErrorCode[]): Reference | undefined {
  const wanted = codes.toSorted().join();
  const found = Object.entries(SHARED).find(([, shared]) => shared.toSorted().join() === wanted);
  return found === undefined ? undefined : { $ref: `${ANSWERS}${found[0]}` };
}

/** For `components.responses`: those of these routes. */
export function sharedAnswers(routes: readonly Route[]): Record<string, Answer> {
  const used = new Set(
    routes
      .flatMap((route) => Object.values(errorAnswersOf(route)))
      .map((each) => ("$ref" in each ? each.$ref : "")),
  );
  const shared = Object.entries(SHARED).filter(([name]) => used.has(`${ANSWERS}${name}`));
  return Object.fromEntries(
    shared.map(([name, codes]) => [name, errorAnswer(ERRORS[codes[0] ?? "NOT_FOUND"][0], codes)]),
  );
}

/** Its own codes, and those implied by authentication, a body, and an idempotency key. */
function errorCodesOf(route: Route): ErrorCode[] {
  const { method, url, schema, errors, readsBody } = route;
  const isOpen = securityOf(url).length === 0;
  const codes: ErrorCode[] = [...errors];
  if (!isOpen) codes.push("INVALID_APIKEY", "TOO_MANY_REQUESTS", "INTERNAL_ERROR", "UNAVAILABLE");
  if (securityOf(url).some((scheme) => "partner" in scheme)) codes.push("TOO_MANY_LOGINS");
  if (mayBeForbidden(method, url)) codes.push("FORBIDDEN");
  if (mayNeedApproval(method, url)) codes.push("APPROVAL_REQUIRED");
  if (bodyOf(route) !== undefined) codes.push("VALIDATION_ERROR");
  // A body is parsed even if the route does not need one.
  if (method !== "GET" && (method !== "DELETE" || readsBody))
    codes.push("INVALID_JSON", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  if (schema.querystring !== undefined) codes.push("VALIDATION_ERROR");
  if (method === "POST" && !isOpen)
    codes.push("VALIDATION_ERROR", "IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS");
  return [...new Set(url.startsWith("/v3/message") ? codes.map(ofMessage) : codes)];
}

/** Invalid fields of a message have a separate code on v3. */
function ofMessage(code: ErrorCode): ErrorCode {
  return code === "VALIDATION_ERROR" ? "INVALID_MESSAGE_DATA" : code;
}

/** Forbidden for a sidecar API key, or for an application's token with another scope. */
function mayBeForbidden(method: string, url: string): boolean {
  if (url.startsWith("/v3/")) return !isSidecarRoute(method, url);
  return securityOf(url).some((scheme) => "accessToken" in scheme);
}

/** What an agent's token is not valid for. */
function mayNeedApproval(method: string, url: string): boolean {
  return securityOf(url).some((scheme) => "accessToken" in scheme) && !isAgentRoute(method, url);
}

function errorAnswer(status: number, codes: readonly ErrorCode[]): Answer {
  const list = codes.map((code) => `- \`${code}\`: ${ERRORS[code][1]}`).join("\n");
  const schema = { allOf: [{ $ref: "#/components/schemas/Error" }], properties: { error: { enum: codes } } };
  return {
    description: list,
    ...(status === 429 || status === 503 ? { headers: { "Retry-After": RETRY_AFTER } } : {}),
    content: { "application/json": { schema } },
  };
}

const RETRY_AFTER = { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } };
