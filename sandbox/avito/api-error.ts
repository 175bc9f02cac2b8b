import { Refusal } from "../http/api-server.ts";

/** An error of the API: `{error: {code, message}}` with the HTTP status (the error objects of Avito's descriptions). */
export function apiError(
  status: number,
  message: string,
  fields?: Readonly<Record<string, string>>,
): Refusal {
  const error = { code: status, message, ...(fields && { fields }) };
  return new Refusal(message, { status, json: JSON.stringify({ error }) });
}

/** A field that is missing or has a wrong value. */
export function invalidField(name: string, problem: string): Refusal {
  return apiError(400, "Validation error", { [name]: problem });
}

/** An unknown parameter or field: refused, and marked in the record of calls. */
export function unknownField(name: string): Refusal {
  const { message, reply } = invalidField(name, "unknown field");
  return new Refusal(`${message}: unknown field ${name}`, reply, true);
}

/** A path that does not exist, or not for this HTTP method. */
export function unknownCall(pathExists: boolean): Refusal {
  const { message, reply } = pathExists ? apiError(405, "Method not allowed") : notFound();
  return new Refusal(message, reply, true);
}

export function unauthorized(): Refusal {
  return apiError(401, "Unauthorized");
}

/** The token lacks the scope, or the account or chat belongs to another account. */
export function forbidden(): Refusal {
  return apiError(403, "Forbidden");
}

/** The account has no subscription that includes the messenger API. */
export function paymentRequired(): Refusal {
  return apiError(402, "Payment required");
}

export function notFound(): Refusal {
  return apiError(404, "Not found");
}

export function tooManyRequests(): Refusal {
  return apiError(429, "Too many requests");
}

/** What a gateway in front of the API returns for an expired token, as seen by integrators. */
export function gatewayTokenError(): Refusal {
  const json = JSON.stringify({ result: { status: false, message: "invalid access token" } });
  return new Refusal("invalid access token", { status: 403, json });
}

/** An error of `/token` in the form of RFC 6749, section 5.2. */
export function oauthError(status: number, error: string, description: string, unknown = false): Refusal {
  const json = JSON.stringify({ error, error_description: description });
  return new Refusal(`${error}: ${description}`, { status, json }, unknown);
}
