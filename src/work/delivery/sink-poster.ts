import type { Core } from "../../core/core.ts";
import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import { type Batch, composeWhole } from "../../core/delivery/request/batch.ts";
import type { Posted } from "../../core/delivery/request/deliver.ts";
import type { Answer } from "../../core/delivery/request/policy.ts";
import type { Address } from "../../core/delivery/request/request.ts";
import { recordSinkFailure } from "../../core/delivery/sink/sink.ts";
import { type Broker, type BrokerMessage, MessageRefused } from "../../platform/broker/broker.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { BatchPoster, Parts, PostResult } from "./poster.ts";

export interface SinkOptions {
  /** Null: this node knows no sink, so what others have configured waits for them. */
  readonly broker: Broker | null;
  onPublish?(result: PostResult, events: number, durationMs: number): void;
}

export interface SinkPoster extends BatchPoster {
  /** Sends events again on request, with a mark. */
  replay(to: Address, batch: Batch): Promise<Posted>;
}

const CONFIRMED: Answer = { status: 200, failure: null, retryAfterMs: null };
/** The broker takes others, but not this message. */
const REFUSED = 413;
const NO_BROKER = "this node has no SINK_URL";

/**
 * Publishes events to the broker of the installation, each as a message of its own. Within a chat, one is sent when the
 * broker has confirmed the one before it, so the broker never stores them in another order; chats are independent. Repeated
 * messages have the same id. Nothing is logged in the tenants' delivery log.
 */
export function createSinkPoster(
  { clock, db, log }: Pick<Core, "clock" | "db" | "log">,
  options: SinkOptions,
): SinkPoster {
  const { broker } = options;
  /** What the log was last told; null: the broker works. */
  let trouble: string | null = null;
  const note = (reason: string | null): void => {
    if (reason === trouble) return;
    trouble = reason;
    if (reason === null) {
      log.info("the event sink accepts events again");
      return;
    }
    log.warn({ reason }, "the event sink does not accept events; they wait");
    recordSinkFailure(db, reason).catch((error: unknown) =>
      log.warn({ err: error }, "why the event sink does not accept events could not be stored"),
    );
  };

  async function publishAll(
    to: Address,
    events: readonly QueuedEvent[],
    isReplay: boolean,
  ): Promise<Outcome> {
    const outcome = {
      confirmed: new Set<QueuedEvent>(),
      away: null as string | null,
      refused: null as string | null,
    };
    const publishChat = async (there: Broker, own: readonly QueuedEvent[]): Promise<void> => {
      for (const event of own) {
        if (outcome.away !== null) return;
        try {
          await there.publish(brokerMessage(to, event, isReplay));
          outcome.confirmed.add(event);
        } catch (error) {
          if (error instanceof MessageRefused) outcome.refused ??= error.message;
          else outcome.away ??= messageOf(error);
          return;
        }
      }
    };
    if (broker === null) outcome.away = NO_BROKER;
    else
      await Promise.all(
        [...Map.groupBy(events, ({ chat }) => chat).values()].map((own) => publishChat(broker, own)),
      );
    note(outcome.away);
    return outcome;
  }

  async function post(to: Address, { events }: Batch, isReplay: boolean): Promise<Parts> {
    const began = clock.monotonicMs();
    const { confirmed, away, refused } = await publishAll(to, events, isReplay);
    const durationMs = clock.monotonicMs() - began;
    const answer: Answer = {
      status: away === null ? REFUSED : null,
      failure: away ?? refused,
      retryAfterMs: null,
    };
    const isConfirmed = (event: QueuedEvent): boolean => confirmed.has(event);
    const [done, open] = [events.filter(isConfirmed), events.filter((event) => !isConfirmed(event))];
    if (done.length > 0) options.onPublish?.("ok", done.length, durationMs);
    if (open.length > 0) options.onPublish?.(away === null ? "refused" : "failed", open.length, durationMs);
    const failed = partOf(open, answer);
    return done.length === 0 ? [failed] : [partOf(done, CONFIRMED), ...(open.length === 0 ? [] : [failed])];
  }

  return {
    post: (to, batch) => post(to, batch, false),
    async replay(to, batch) {
      const [first, second] = await post(to, batch, true);
      return { ...(second ?? first), batch };
    },
    async test() {
      try {
        if (broker === null) throw new Error(NO_BROKER);
        await broker.check();
        return { answer: CONFIRMED, attempt: null };
      } catch (error) {
        return { answer: { status: null, failure: messageOf(error), retryAfterMs: null }, attempt: null };
      }
    },
  };
}

interface Outcome {
  readonly confirmed: ReadonlySet<QueuedEvent>;
  /** Why the broker accepts nothing; null: it works. */
  readonly away: string | null;
  /** Why it refused a message; null: it refused none. */
  readonly refused: string | null;
}

function partOf(events: readonly QueuedEvent[], answer: Answer): Posted {
  return { batch: { events, body: "" }, answer, attempt: null, text: null };
}

/** The body is that of a webhook with this one event. Pure. */
export function brokerMessage(
  { accountId }: Pick<Address, "accountId">,
  event: QueuedEvent,
  isReplay: boolean,
): BrokerMessage {
  const { id, kind, channelId, chat, seconds } = event;
  const at = new Date(seconds * 1000);
  return {
    id: `${accountId}-${id}`,
    key: chat ?? channelId ?? String(accountId),
    route: `${accountId}.${channelId ?? "-"}.${kind}`,
    kind,
    at,
    body: Buffer.from(composeWhole([event], [id])?.body ?? ""),
    headers: {
      account: String(accountId),
      ...(channelId === null ? {} : { channel: channelId }),
      ...(chat === null ? {} : { chat }),
      kind,
      time: at.toISOString(),
      ...(isReplay ? { replay: "true" } : {}),
    },
  };
}
