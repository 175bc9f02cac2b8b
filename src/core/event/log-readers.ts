import type { Event } from "../payload/event.ts";
import { LIVE } from "./about.ts";

/** A claim of this node that has read its account's log to the end, and would take what is published next. */
export interface LogReader {
  readonly endpointId: string;
  /** Version of the receiver's row that the claim knows. */
  readonly version: string;
  /** It knows all events of the log up to this one. */
  readonly readTo: number;
}

/** A new event of the log, as a read of the log would return it. */
export interface LoggedEvent {
  readonly id: number;
  readonly kind: string;
  readonly channelId: string | null;
  readonly chat: string | null;
  /** JSON text. */
  readonly body: string;
  /** When it happened, in seconds of Unix time. */
  readonly seconds: number;
}

/**
 * A part of an account's log, which its publisher hands to the claims of its node after the commit: all events behind
 * `previous` up to `to`.
 */
export class HandedEvents {
  /** Those of receivers, of any kind. */
  readonly events: readonly LoggedEvent[];
  readonly previous: number;
  readonly to: number;
  /** The receivers whose rows had not changed when the events were stored. */
  readonly current: ReadonlySet<string>;
  /** Monotonic time before that. */
  readonly offeredAtMs: number;

  constructor(part: Pick<HandedEvents, "events" | "previous" | "to" | "current" | "offeredAtMs">) {
    this.events = part.events;
    this.previous = part.previous;
    this.to = part.to;
    this.current = part.current;
    this.offeredAtMs = part.offeredAtMs;
  }
}

/** The claims of an account that would take new events now. */
export interface Offer {
  /** At least one; each as the functions of the database take it. */
  readonly readers: readonly string[];
  /** All of them have read up to this event. */
  readonly since: number;
  readonly offeredAtMs: number;
}

/** Offers of more readers would cost publishers more than each of them saves. */
const MAX_READERS = 16;

/** Knows the claims of this node that would take new events. Without a provider there are none. */
export class LogReaders {
  #readersOf: (accountId: number) => readonly LogReader[] = () => [];
  readonly #nowMs: () => number;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Who keeps the claims. */
  provide(readersOf: (accountId: number) => readonly LogReader[]): void {
    this.#readersOf = readersOf;
  }

  /** Null: nobody takes the account's events. */
  offerOf(accountId: number): Offer | null {
    const readers = this.#readersOf(accountId);
    if (readers.length === 0 || readers.length > MAX_READERS) return null;
    return {
      readers: readers.map(({ endpointId, version }) => `${endpointId} ${version}`),
      since: Math.min(...readers.map(({ readTo }) => readTo)),
      offeredAtMs: this.#nowMs(),
    };
  }
}

export interface HasLogReaders {
  readonly logReaders: LogReaders;
}

/** What was stored for an offer. */
export interface Taken {
  /** Of the new events, in the order of their ids. */
  readonly kinds: readonly string[];
  readonly ids: readonly number[];
  readonly seconds: number;
  readonly previous: number;
  readonly current: readonly string[];
}

/**
 * The new events of an account with their ids. `events` are those that were to be published, in order, with their bodies as
 * stored; those without receivers were skipped. Pure.
 */
export function handedEvents(
  offer: Offer,
  events: readonly (Omit<Event, "body" | "accountId" | "subject"> & { readonly body: string })[],
  { kinds, ids, seconds, previous, current }: Taken,
): HandedEvents {
  const stored = events.filter(({ kind }) => kind !== LIVE && kinds.includes(kind));
  const places = kinds.flatMap((kind, place) => (kind === LIVE ? [] : [place]));
  return new HandedEvents({
    events: stored.map(({ kind, channelId, chat, body }, index) => {
      const id = ids[places[index] ?? -1];
      if (id === undefined) throw new Error("An event was stored without an id");
      return { id, kind, channelId, chat, body, seconds };
    }),
    previous,
    to: ids.at(-1) ?? previous,
    current: new Set(current),
    offeredAtMs: offer.offeredAtMs,
  });
}
