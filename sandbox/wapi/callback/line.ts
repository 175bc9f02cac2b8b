import { hubSignatures } from "../../meta/signature.ts";

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
        ...hubSignatures(secret, body),
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

function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
