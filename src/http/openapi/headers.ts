import type { Header, Reference } from "./answer.ts";
import { PAGES, type Route, securityOf } from "./routes.ts";

const number = (description: string): Header => ({ description, schema: { type: "integer" } });
const text = (description: string): Header => ({ description, schema: { type: "string" } });

/** Headers of responses, for `components.headers`. */
export const HEADERS: Readonly<Record<string, Header>> = {
  "X-Request-Id": text("Id of the request in the service's log: 32 hexadecimal digits"),
  "X-RateLimit-Limit": number(
    "Requests that the account may make in a window. Without a limit, no header about it is sent",
  ),
  "X-RateLimit-Remaining": number("Requests that remain in this window"),
  "X-RateLimit-Reset": number("End of the window, Unix seconds"),
  "RateLimit-Policy": text(
    "The limit as q and the window in seconds as w, as in draft-ietf-httpapi-ratelimit-headers",
  ),
  RateLimit: text("What remains as r, and the seconds until the end of the window as t"),
  "Idempotency-Replayed": text("true: the response to an earlier request with this Idempotency-Key"),
};

/** The headers of a successful response of the route. */
export function headersOf({ method, url }: Route): Readonly<Record<string, Reference>> {
  const isOpen = securityOf(url).length === 0;
  if (isOpen || url.startsWith(PAGES)) return {};
  const names = Object.keys(HEADERS).filter((name) => method === "POST" || name !== "Idempotency-Replayed");
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
