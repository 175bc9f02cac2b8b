import type { QueuedEvent } from "./lanes.ts";

export interface BatchLimits {
  readonly maxItems: number;
  /** Of the items; the envelope around them adds up to 150 more. */
  readonly maxBytes: number;
}

/** One request to a receiver: the events and its body as JSON text. */
export interface Batch {
  readonly events: readonly QueuedEvent[];
  readonly body: string;
}

/** v3 kinds that travel together in one request; every other kind travels with its like only. */
const TOGETHER: Readonly<Record<string, string>> = { messages: "messages", statuses: "messages" };

/** Kinds whose value in the body is one object, not a list: each travels alone. */
const ALONE: ReadonlySet<string> = new Set(["createContact", "createDeal", "templateStatus"]);

/**
 * The longest beginning of the queue that fits one request: events of one family, within the limits; the first
 * always fits. The same events always give the same body. Pure.
 */
export function composeBatch(queue: readonly QueuedEvent[], limits: BatchLimits): Batch | null {
  const [first] = queue;
  if (first === undefined) return null;
  const maxItems = ALONE.has(first.kind) ? 1 : limits.maxItems;
  const events: QueuedEvent[] = [];
  let bytes = 0;
  for (const event of queue) {
    bytes += Buffer.byteLength(event.body) + 1;
    const fits = events.length < maxItems && bytes <= limits.maxBytes && familyOf(event) === familyOf(first);
    if (events.length > 0 && !fits) break;
    events.push(event);
  }
  return { events, body: isV2(first.kind) ? v2Body(first, events) : v3Body(first, events) };
}

function familyOf({ kind }: QueuedEvent): string {
  return TOGETHER[kind] ?? kind;
}

/** v2 events are named `subject.verb`. */
function isV2(kind: string): boolean {
  return kind.includes(".");
}

function v3Body(first: QueuedEvent, events: readonly QueuedEvent[]): string {
  if (ALONE.has(first.kind)) return `{"${first.kind}":${first.body}}`;
  const keys = [...new Set(events.map(({ kind }) => kind))];
  const lists = keys.map(
    (key) =>
      `"${key}":[${events
        .filter(({ kind }) => kind === key)
        .map(({ body }) => body)
        .join(",")}]`,
  );
  return `{${lists.join(",")}}`;
}

function v2Body({ kind, at }: QueuedEvent, events: readonly QueuedEvent[]): string {
  const ids = `${events[0]?.id ?? 0}-${events.at(-1)?.id ?? 0}`;
  const data = events.map(({ body }) => body).join(",");
  return `{"event":"${kind}","data":[${data}],"meta":{"idempotency_key":"${ids}","timestamp":${Math.floor(at.getTime() / 1000)}}}`;
}
