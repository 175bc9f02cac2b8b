import { ALL_CREATION_KINDS } from "../../payload/creation-kinds.ts";
import { isV2, type QueuedEvent } from "../cursor/events.ts";

export interface BatchLimits {
  readonly maxItems: number;
  /** Bytes of the items; the envelope adds up to 150 more. */
  readonly maxBytes: number;
}

/** One request to a receiver: the events and its body as JSON text. */
export interface Batch {
  readonly events: readonly QueuedEvent[];
  readonly body: string;
}

/** v3 kinds that share a request; events of every other kind are only batched with the same kind. */
const TOGETHER: Readonly<Record<string, string>> = { messages: "messages", statuses: "messages" };

/**
 * Kinds that are sent one event per request: in the body of v3 their value is one object, and some need a response.
 */
const ALONE: ReadonlySet<string> = new Set([...ALL_CREATION_KINDS, "templateStatus"]);

/**
 * The longest prefix of the queue that fits one request: events of one family, within the limits; the first always
 * fits. The same events always give the same body. Pure.
 */
export function composeBatch(queue: readonly QueuedEvent[], limits: BatchLimits): Batch | null {
  return composeRound(queue, limits, 1)[0] ?? null;
}

/**
 * The longest prefix of the queue that fits into `ways` concurrent requests. All events of a chat are in one of them, in
 * order. The division is deterministic. Pure.
 */
export function composeRound(queue: readonly QueuedEvent[], limits: BatchLimits, ways: number): Batch[] {
  const shares = Array.from({ length: ways }, () => ({ events: [] as QueuedEvent[], bytes: 0 }));
  for (const event of queue) {
    const share = shares[ways === 1 ? 0 : shareOf(event, ways)];
    if (share === undefined) throw new Error("A share is missing");
    const [first] = share.events;
    share.bytes += Buffer.byteLength(event.body) + 1;
    if (first !== undefined && !(follows(event, first) && share.bytes <= limits.maxBytes)) break;
    if (share.events.length >= (ALONE.has(event.kind) ? 1 : limits.maxItems)) break;
    share.events.push(event);
  }
  return shares.flatMap(({ events }) => {
    const [first] = events;
    if (first === undefined) return [];
    return { events, body: isV2(first.kind) ? v2Body(first, events) : v3Body(first, events) };
  });
}

/** The batch of exactly these events, in this order, as it was sent before; null if one of them is missing. Pure. */
export function composeWhole(events: readonly QueuedEvent[], ids: readonly number[]): Batch | null {
  const byId = new Map(events.map((event) => [event.id, event]));
  const whole = ids.flatMap((id) => byId.get(id) ?? []);
  if (whole.length < ids.length) return null;
  const batch = composeBatch(whole, { maxItems: ids.length, maxBytes: Number.POSITIVE_INFINITY });
  return batch?.events.length === ids.length ? batch : null;
}

/** How a batch was composed, and what of it is stored. */
export interface Composition {
  /** Number of events in the batch, and of those it was composed from. */
  readonly size: number;
  readonly waiting: number;
  readonly limit: number;
  readonly storedLimit: number;
  /** The end of the batch is stored. */
  readonly hasEnd: boolean;
}

/**
 * Whether composing the batch again from the stored values yields the same batch, even if more events wait by then. A
 * batch of all waiting events is reproducible only if its size was the limit, or if its end is stored. Pure.
 */
export function isReproducible({ size, waiting, limit, storedLimit, hasEnd }: Composition): boolean {
  return size === storedLimit || (limit === storedLimit && (hasEnd || size < waiting));
}

/** `webhook-id` of a batch: the same events always have the same id. */
export function deliveryIdOf(endpointId: string, events: readonly { readonly id: number }[]): string {
  return `msg_${endpointId.slice(0, 8)}_${events[0]?.id}_${events.at(-1)?.id}`;
}

/** The last digits of ids are random. */
function shareOf({ chat }: QueuedEvent, ways: number): number {
  return chat === null ? 0 : Number.parseInt(chat.slice(-8), 16) % ways;
}

function follows({ kind }: QueuedEvent, first: QueuedEvent): boolean {
  return (TOGETHER[kind] ?? kind) === (TOGETHER[first.kind] ?? first.kind);
}

function v3Body(first: QueuedEvent, events: readonly QueuedEvent[]): string {
  if (ALONE.has(first.kind)) return `{"${first.kind}":${first.body}}`;
  const lists = new Map<string, string[]>();
  for (const { kind, body } of events) {
    const list = lists.get(kind);
    if (list === undefined) lists.set(kind, [body]);
    else list.push(body);
  }
  return `{${[...lists].map(([kind, bodies]) => `"${kind}":[${bodies.join(",")}]`).join(",")}}`;
}

function v2Body({ kind, seconds }: QueuedEvent, events: readonly QueuedEvent[]): string {
  const ids = `${events[0]?.id ?? 0}-${events.at(-1)?.id ?? 0}`;
  const data = events.map(({ body }) => body).join(",");
  return `{"event":"${kind}","data":[${data}],"meta":{"idempotency_key":"${ids}","timestamp":${seconds}}}`;
}
