import type { Config } from "../../config.ts";
import { sinkState } from "../../core/delivery/sink/sink.ts";
import type { Queryable } from "../../database/database.ts";
import { shownAddress } from "../../platform/broker/address.ts";
import { createBroker } from "../../platform/broker/broker.ts";
import { commandLine } from "../../platform/command-line.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

const TIMEOUT_MS = 10_000;

/** The broker of SINK_URL; nothing without one. `network`: connects to it. */
export async function checkBroker({ sink }: Pick<Config, "sink">, network: boolean): Promise<Finding[]> {
  if (sink === null) return [];
  const shown = shownAddress(sink.address);
  if (!network) return [ok("sink", `${shown}: not tried; --network connects to it`)];
  const broker = createBroker({ ...sink, timeoutMs: TIMEOUT_MS });
  try {
    return [ok("sink", `${shown}: ${await broker.check()}`)];
  } catch (error) {
    return [
      fail("sink", `${shown}: ${messageOf(error)}`, "Until it accepts events, they wait (docs/sinks.md)"),
    ];
  } finally {
    await broker.close();
  }
}

/** What waits for the sink; nothing without one. */
export async function checkSinkQueue({
  db,
  config: { sink },
}: {
  readonly db: Queryable;
  readonly config: Pick<Config, "sink">;
}): Promise<Finding[]> {
  const state = await sinkState(db);
  if (state === null) return [];
  if (sink === null)
    return [
      warn(
        "sink queue",
        `SINK_URL is not set here, and ${state.queued} events wait for ${state.url}`,
        `Set it on all nodes, or end the sink with "${commandLine("sink drop")}"`,
      ),
    ];
  const { failing, queued, parked } = state;
  if (failing > 0)
    return [
      warn(
        "sink queue",
        `nothing is accepted of ${failing} accounts; ${queued} events wait`,
        `"${commandLine("doctor --network")}" tries the broker`,
      ),
    ];
  if (parked > 0)
    return [
      warn(
        "sink queue",
        `${parked} events were refused`,
        `"${commandLine("sink replay")}" publishes them again`,
      ),
    ];
  return [ok("sink queue", `${queued} events wait`)];
}
