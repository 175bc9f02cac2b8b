import type { ChannelLink } from "../../core/transport/connector.ts";
import type { TransportEvent } from "../../core/transport/events.ts";
import { settleAll } from "./settle-all.ts";

/** The largest number of events of one report. A hundred forwarded messages with ten files each are as many. */
export const MAX_EVENTS = 1_000;

/**
 * Emits the events of one report, all before the first await, so that their order is kept. Beyond `MAX_EVENTS`, the
 * rest is not stored, and the whole report is kept as a dead letter. Resolves when all is stored; rejects if something
 * is not.
 */
export async function emitAll(
  link: Pick<ChannelLink, "emit" | "deadLetter">,
  events: readonly TransportEvent[],
  report: unknown,
): Promise<void> {
  const works = events.slice(0, MAX_EVENTS).map((event) => link.emit(event));
  if (events.length > MAX_EVENTS)
    works.push(
      link.deadLetter(report, `The report has ${events.length} events; the first ${MAX_EVENTS} were stored`),
    );
  await settleAll(works);
}
