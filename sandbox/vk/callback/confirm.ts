import { postJson } from "../../callback/post.ts";

/** The expected response of an address, and the request for it. */
export interface Challenge {
  readonly code: string;
  /** Undefined: the request contains none. */
  readonly secret: string | undefined;
  readonly timeoutMs: number;
}

/** Requests the confirmation code from an address; true if the response is exactly that. */
export async function confirmServer(url: string, groupId: number, challenge: Challenge): Promise<boolean> {
  const { code, secret, timeoutMs } = challenge;
  const body = { type: "confirmation", group_id: groupId, ...(secret !== undefined && { secret }) };
  const signal = AbortSignal.timeout(timeoutMs);
  const { status, answer } = await postJson(url, JSON.stringify(body), { headers: {}, signal });
  return status === 200 && answer === code;
}
