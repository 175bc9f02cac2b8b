import { createHmac, randomInt } from "node:crypto";
import { GraphError } from "../graph-error.ts";

/** How one delivery ended. Anything but status 200 is a failure and comes again. */
export interface Delivered {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly error?: string;
}

/** Posts a body that is signed with the app's secret. Never rejects. */
export async function postCallback(
  url: string,
  body: string,
  { secret, signal }: { readonly secret: string; readonly signal: AbortSignal },
): Promise<Delivered> {
  const sign = (algorithm: string) => createHmac(algorithm, secret).update(body).digest("hex");
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      redirect: "manual",
      signal,
      headers: {
        "Content-Type": "application/json",
        Accept: "*/*",
        "User-Agent": "facebookexternalua",
        "X-Hub-Signature": `sha1=${sign("sha1")}`,
        "X-Hub-Signature-256": `sha256=${sign("sha256")}`,
      },
    });
    await response.arrayBuffer();
    return response.status === 200
      ? { status: 200 }
      : { status: response.status, error: response.statusText };
  } catch (error) {
    return { status: 0, error: describe(error) };
  }
}

/**
 * Asks an address whether it wants callbacks: it must answer 200 with the challenge. A literal plus in the path
 * reaches it as a space, as Meta's requests do (chatwoot/chatwoot#14738).
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
