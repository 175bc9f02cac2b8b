import { request } from "undici";
import type { Account } from "./members.ts";

export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** Calls the service as an account. Throws if there is no response. */
export type Caller = (account: Pick<Account, "accessToken" | "apiKey">, call: Call) => Promise<Answer>;

const REQUEST_MS = 30_000;

/** `/v2` with the access token, `/v3` with the API key. */
export function caller(url: string): Caller {
  return async (account, { method, path, body, idempotencyKey }) => {
    const token = path.startsWith("/v3") ? account.apiKey : account.accessToken;
    const answer = await request(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, json: text.startsWith("{") ? JSON.parse(text) : text };
  };
}
