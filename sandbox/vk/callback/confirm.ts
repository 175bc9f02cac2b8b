import { postJson } from "../../callback/post.ts";

/** What an address has to answer, and what it is asked with. */
export interface Challenge {
  readonly code: string;
  /** Undefined: the request carries none. */
  readonly secret: string | undefined;
  readonly timeoutMs: number;
}

/** Asks an address for the confirmation code; true when it answers with exactly that. */
export async function confirmServer(url: string, groupId: number, challenge: Challenge): Promise<boolean> {
  const { code, secret, timeoutMs } = challenge;
  const body = { type: "confirmation", group_id: groupId, ...(secret !== undefined && { secret }) };
  const signal = AbortSignal.timeout(timeoutMs);
  const { status, answer } = await postJson(url, JSON.stringify(body), { headers: {}, signal });
  return status === 200 && answer === code;
}
