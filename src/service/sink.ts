import type { SinkSettings } from "../config.ts";
import type { Sink } from "../core/delivery/sink/sink.ts";
import { shownAddress } from "../platform/broker/address.ts";

/** The sink of the settings, as its receivers know it. Pure. */
export function sinkOf({ address, target, events }: SinkSettings): Sink {
  return { url: `${shownAddress(address)} (${target})`, kinds: events };
}
