import { request } from "undici";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Parsed; undefined where the answer is no JSON. */
  readonly json: unknown;
}

export interface Call {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Buffer;
}

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** One request as a client sends it: JSON has its content type unless `headers` says otherwise (`""`: none). */
export async function call(
  base: { readonly url: string },
  method: Method,
  path: string,
  options: Call = {},
): Promise<Answer> {
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...options.headers,
  };
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
  const answer = await request(base.url + path, { method, headers: sent, body: body ?? null });
  // Not `body.text()`, which takes a byte order mark away.
  const text = Buffer.from(await answer.body.arrayBuffer()).toString();
  return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `status error` of an answer, with the names of invalid fields: what a table of cases compares. */
export function outcome({ status, json }: Answer): string {
  const { error, data } = (json ?? {}) as {
    error?: string;
    data?: { fields?: (string | { field: string })[] };
  };
  const fields = data?.fields?.map((each) => (typeof each === "string" ? each : each.field)).toSorted() ?? [];
  return [status, error, ...fields].filter((part) => part !== undefined).join(" ");
}
