import { AsyncLocalStorage } from "node:async_hooks";
import { parseTraceParent } from "@opentelemetry/core";
import { Cache } from "../../core/cache.ts";
import type { Posted } from "../../core/delivery/request/deliver.ts";
import { isSuccess, labelOf } from "../../core/delivery/request/policy.ts";
import type { Address } from "../../core/delivery/request/request.ts";
import type { Acceptance, AcceptQueue } from "../../core/message/accept.ts";
import type { AcceptedMessage } from "../../core/message/accepted-message.ts";
import type { SendOutcome } from "../../core/message/outcome.ts";
import type { SendJob } from "../../core/message/send-jobs.ts";
import type { Fact, MessageFact } from "../../core/payload/facts.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { RequestTraces, TracedRequest } from "../../http/request-traces.ts";
import { acceptedAtOf } from "../../platform/tracing/trace-ids.ts";
import type { Tracer } from "../../platform/tracing/tracer.ts";
import type { Finish } from "../../work/send/sender-finish.ts";

/** Messages whose time of acceptance is remembered until they are sent. */
const MAX_REMEMBERED = 20_000;

/**
 * The spans of messages on their way through this node. Their attributes contain ids of ours, codes and numbers: no texts,
 * no phones, no names, no credentials, and of addresses the host alone.
 */
export class MessageTraces implements RequestTraces {
  readonly #tracer: Tracer;
  /** The running request, with the messages that it stored. */
  readonly #stored = new AsyncLocalStorage<AcceptedMessage[]>();
  readonly #requests = new WeakMap<TracedRequest, AcceptedMessage[]>();
  readonly #acceptedAt = new Cache<string, number>({ maxEntries: MAX_REMEMBERED });

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  run(request: TracedRequest, work: () => void): void {
    const stored: AcceptedMessage[] = [];
    this.#requests.set(request, stored);
    this.#stored.run(stored, work);
  }

  /** The request's span is in the trace of its message, and, if the client sent its own, in that one too. */
  answered(request: TracedRequest, status: number, durationMs: number): void {
    const stored = this.#requests.get(request) ?? [];
    if (stored.length === 0) return;
    const { method, route, traceparent } = request;
    const attributes = {
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": status,
    };
    const span = { kind: "server", durationMs, ...(status >= 500 ? { error: String(status) } : {}) } as const;
    const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
    for (const message of stored)
      this.#root(message.id, {
        ...span,
        name: "accept message",
        attributes: { ...attributes, ...ofAccepted(message) },
        links: caller === null ? [] : [caller],
      });
    if (caller === null) return;
    const links = stored.map(({ id }) => this.#tracer.contextOf(id));
    this.#tracer.continued(
      { ...caller, isRemote: true },
      { ...span, name: `${method} ${route}`, attributes, links },
    );
  }

  /** The queue, with the messages of each request noted. */
  accepting(queue: AcceptQueue): AcceptQueue {
    return { ...queue, add: (message) => this.#add(queue, message) };
  }

  async #add(queue: AcceptQueue, message: AcceptedMessage): Promise<Acceptance> {
    const began = performance.now();
    const acceptance = await queue.add(message);
    if (acceptance !== "stored") return acceptance;
    if (this.#tracer.isSampled(message.id)) this.#acceptedAt.set(message.id, Date.now());
    const stored = this.#stored.getStore();
    if (stored === undefined)
      this.#root(message.id, {
        name: "accept message",
        kind: "internal",
        durationMs: performance.now() - began,
        attributes: ofAccepted(message),
      });
    else stored.push(message);
    return acceptance;
  }

  /** A message was sent to its messenger, or not. The first attempt ends its wait in the queue. */
  sent(transport: string, result: string, durationMs: number, job: SendJob, cause?: unknown): void {
    const { messageId, attempts } = job;
    if (!this.#tracer.isSampled(messageId)) return;
    const attributes = { ...ofMessage(job), "trunkline.transport": transport };
    const beganAt = Date.now() - durationMs;
    const acceptedAt = attempts > 0 ? null : (this.#acceptedAt.get(messageId) ?? acceptedAtOf(messageId));
    this.#acceptedAt.delete(messageId);
    if (acceptedAt !== null)
      this.#tracer.child(messageId, {
        name: "wait in queue",
        kind: "internal",
        // The clocks of nodes may differ.
        durationMs: Math.max(0, beganAt - acceptedAt),
        endedAt: beganAt,
        attributes,
      });
    this.#tracer.child(messageId, {
      name: `send to ${transport}`,
      kind: "client",
      durationMs,
      attributes: {
        ...attributes,
        "trunkline.attempt": attempts + 1,
        "trunkline.outcome": outcomeOf(result),
      },
      ...(result === "sent" ? {} : { error: cause instanceof TransportError ? cause.code : result }),
    });
  }

  /** Outcomes of sends were stored, with the events for receivers. */
  stored(finishes: readonly Finish[], durationMs: number): void {
    for (const finish of finishes)
      if (finish.kind === "outcome" && this.#tracer.isSampled(finish.outcome.messageId))
        this.#tracer.child(finish.outcome.messageId, publishedSpan(finish.outcome, durationMs));
  }

  /** Reports of messengers were stored, with the events for receivers. New messages begin a trace. */
  published(facts: readonly Fact[], durationMs: number): void {
    for (const fact of facts)
      if (fact.kind === "message" && fact.isNew === true && fact.message.extras.isHistory !== true)
        this.#root(fact.message.messageId, receivedSpan(fact.message, durationMs));
  }

  /** A request to a receiver ended: a span for each of its messages, in the trace of that message. */
  posted(to: Address, { batch, answer, attempt }: Posted, number: number | null): void {
    // Of the sink, which is no HTTP.
    if (attempt === null) return;
    const endedAt = Date.now();
    const messages = new Set(batch.events.flatMap(({ body }) => messageIdOf(body) ?? []));
    for (const messageId of messages) {
      if (!this.#tracer.isSampled(messageId)) continue;
      this.#tracer.child(messageId, {
        name: attempt.purpose === "replay" ? "replay webhook" : "webhook",
        kind: "client",
        durationMs: attempt.durationMs,
        endedAt,
        attributes: {
          "trunkline.account.id": to.accountId,
          "trunkline.message.id": messageId,
          "trunkline.receiver.id": to.endpointId,
          "trunkline.webhook.id": attempt.deliveryId,
          "trunkline.webhook.events": batch.events.length,
          "trunkline.webhook.kinds": [...attempt.kinds],
          "http.request.method": "POST",
          "server.address": URL.parse(to.url)?.hostname ?? "",
          ...(number === null ? {} : { "trunkline.attempt": number }),
          ...(answer.status === null ? {} : { "http.response.status_code": answer.status }),
        },
        ...(isSuccess(answer) ? {} : { error: labelOf(answer) }),
      });
    }
  }

  #root(messageId: string, span: Parameters<Tracer["root"]>[1]): void {
    if (this.#tracer.isSampled(messageId)) this.#tracer.root(messageId, span);
  }
}

function ofAccepted({ account_id: accountId, id: messageId, channel_id: channelId, type }: AcceptedMessage) {
  return { ...ofMessage({ accountId, messageId, channelId }), "trunkline.message.type": type };
}

interface OfMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly channelId: string;
}

function ofMessage({ accountId, messageId, channelId }: OfMessage) {
  return {
    "trunkline.account.id": accountId,
    "trunkline.channel.id": channelId,
    "trunkline.message.id": messageId,
  };
}

function outcomeOf(result: string): string {
  return result === "sent" || result === "again" ? result : "failed";
}

function publishedSpan(outcome: SendOutcome, durationMs: number) {
  const { result } = outcome;
  return {
    name: "publish outcome",
    kind: "producer",
    durationMs,
    attributes: {
      ...ofMessage(outcome),
      "trunkline.message.status": result.kind === "sent" ? "sent" : "error",
    },
    ...(result.kind === "failed" ? { error: result.error.code } : {}),
  } as const;
}

function receivedSpan(message: MessageFact, durationMs: number) {
  return {
    name: "receive message",
    kind: "consumer",
    durationMs,
    attributes: {
      ...ofMessage(message),
      "trunkline.message.type": message.type,
      "trunkline.message.is_echo": message.isEcho,
    },
  } as const;
}

/** The message that an event is about, in both versions of the interface; undefined: it is about none. */
function messageIdOf(body: string): string | undefined {
  const { messageId, message_id: id = messageId } = JSON.parse(body) as {
    readonly messageId?: string;
    readonly message_id?: string;
  };
  return id;
}
