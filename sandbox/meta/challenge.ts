import { randomInt } from "node:crypto";
import { GraphError } from "./graph-error.ts";

/**
 * Verifies that an address accepts callbacks: it must respond with 200 and the challenge. A literal plus in the path
 * arrives as a space, as in Meta's requests (chatwoot/chatwoot#14738).
 */
export async function verifyCallback(url: string, verifyToken: string, timeoutMs: number): Promise<void> {
  const challenge = String(randomInt(1e9, 2e9));
  const target = new URL(url);
  target.pathname = target.pathname.replaceAll("+", "%20");
  target.searchParams.set("hub.mode", "subscribe");
  target.searchParams.set("hub.challenge", challenge);
  target.searchParams.set("hub.verify_token", verifyToken);
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { "User-Agent": "facebookplatform/1.0 (+http://developers.facebook.com)" };
  const response = await fetch(target, { redirect: "manual", signal, headers }).catch((error: unknown) => {
    throw verificationFailed(`curl_errno = 7; curl_error = ${describe(error)}; HTTP Status Code = 0`);
  });
  const text = await response.text();
  if (response.status !== 200) {
    throw verificationFailed(
      `HTTP Status Code = ${response.status}; HTTP Message = ${response.statusText || "Unknown"}`,
    );
  }
  if (text === challenge) return;
  throw new GraphError(
    "(#2201) response does not match challenge, expected value=" +
      `"${challenge}", received="${text.slice(0, 30)}..."`,
    { status: 400, type: "OAuthException", code: 2201 },
  );
}

function verificationFailed(reason: string): GraphError {
  const message = `(#2200) Callback verification failed with the following errors: ${reason}`;
  return new GraphError(message, { status: 400, type: "OAuthException", code: 2200 });
}

function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
