import type { ServerResponse } from "node:http";
import { type Post, type Receiver, startReceiver } from "./receiver.ts";

const KINDS = ["createContact", "createDeal"] as const;
export type RequestKind = (typeof KINDS)[number];

/** The CRM is asked to create something. */
export interface CrmRequest {
  readonly kind: RequestKind;
  readonly body: { readonly responsibleUserId: string; readonly name?: string; readonly contacts?: string[] };
  readonly webhookId: string;
}

/** A CRM that creates each requested entity, a repeated request once, unless configured otherwise. */
export interface Crm {
  readonly receiver: Receiver;
  /** What it was asked for, in order of arrival. */
  asked(): CrmRequest[];
  /** Null: it answers what `create` makes. */
  answer: ((request: CrmRequest, response: ServerResponse) => unknown) | null;
  create(request: CrmRequest): object;
}

export async function startCrm(): Promise<Crm> {
  const receiver = await startReceiver();
  const ids = new Map<string, string>();
  const idFor = (kind: string, webhookId: string): string => {
    const id = ids.get(webhookId) ?? `${kind}-${ids.size + 1}`;
    ids.set(webhookId, id);
    return id;
  };
  const crm: Crm = {
    receiver,
    answer: null,
    asked: () => receiver.posts.flatMap(requestsOf),
    create: ({ kind, body, webhookId }) => ({
      ...body,
      id: idFor(kind, webhookId),
      name: body.name ?? "Deal",
    }),
  };
  receiver.respond = (post, response) => {
    const [request] = requestsOf(post);
    if (request === undefined) response.writeHead(200).end();
    else if (crm.answer !== null) crm.answer(request, response);
    else answerJson(response, crm.create(request));
  };
  return crm;
}

function requestsOf({ body, headers }: Post): CrmRequest[] {
  const parsed = JSON.parse(body) as Partial<Record<RequestKind, CrmRequest["body"]>>;
  return KINDS.flatMap((kind) =>
    parsed[kind] === undefined
      ? []
      : [{ kind, body: parsed[kind], webhookId: String(headers["webhook-id"]) }],
  );
}

export function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
