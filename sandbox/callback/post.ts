/** The result of one delivery. */
export interface Delivered {
  /** 0 if there was no response. */
  readonly status: number;
  readonly error?: string;
  /** The response body, at most a megabyte. */
  readonly answer: string;
  /** The receiver's `Retry-After`, if it is a number. */
  readonly retryAfterSeconds?: number;
}

const maxAnswerCharacters = 1024 * 1024;

/** Posts JSON. Never rejects; redirects are not followed. */
export async function postJson(
  url: string,
  text: string,
  { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Delivered> {
  try {
    const response = await fetch(url, {
      method: "POST",
      body: text,
      redirect: "manual",
      signal,
      headers: { "Content-Type": "application/json", ...headers },
    });
    const answer = (await response.text()).slice(0, maxAnswerCharacters);
    const seconds = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
    const pause = Number.isNaN(seconds) ? {} : { retryAfterSeconds: seconds };
    return { status: response.status, answer, ...pause };
  } catch (error) {
    return { status: 0, error: describe(error), answer: "" };
  }
}

function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
