import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestMethods,
  type ILoadOptionsFunctions,
  type IWebhookFunctions,
  type JsonObject,
  NodeApiError,
} from "n8n-workflow";

export type Functions = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

export interface TrunklineRequest {
  readonly method: IHttpRequestMethods;
  readonly path: string;
  readonly query?: IDataObject;
  readonly body?: IDataObject;
  /** A request with the same key and body has no second effect. */
  readonly idempotencyKey?: string;
  /** Item of the input, which an error names. */
  readonly itemIndex?: number;
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Makes a request of the interface and returns its body. Throws what the service refuses, with its own description. */
export async function request<Body>(context: Functions, wanted: TrunklineRequest): Promise<Body> {
  const { method, path, query = {}, body, idempotencyKey } = wanted;
  const { url } = await context.getCredentials("trunklineApi");
  const answer = (await context.helpers.httpRequestWithAuthentication.call(context, "trunklineApi", {
    method,
    url: `${String(url).replace(/\/+$/, "")}${path}`,
    qs: query,
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    headers: idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey },
    ...(body === undefined ? {} : { body }),
  })) as Answer;
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer.body as Body;
  throw refusal(context, wanted, answer);
}

function refusal(context: Functions, wanted: TrunklineRequest, { statusCode, headers, body }: Answer): Error {
  const { error, description } = (typeof body === "object" && body !== null ? body : {}) as {
    readonly error?: string;
    readonly description?: string;
  };
  const wait = headers["retry-after"];
  const later = wait === undefined ? "" : ` Try again after ${String(wait)} seconds.`;
  const detail = `${wanted.method} ${wanted.path} was refused with ${statusCode}${error === undefined ? "" : ` ${error}`}.${later}`;
  return new NodeApiError(context.getNode(), { error: error ?? null, statusCode } as JsonObject, {
    message: description ?? `The address does not answer as Trunkline does (status ${statusCode})`,
    description: detail,
    httpCode: String(statusCode),
    ...(wanted.itemIndex === undefined ? {} : { itemIndex: wanted.itemIndex }),
  });
}
