import { requestReplay } from "../../core/delivery/request/replay.ts";
import { dropSink, parkedOfSink, sinkState } from "../../core/delivery/sink/sink.ts";
import { notifyNodes } from "../../core/signals.ts";
import { commandLine } from "../../platform/command-line.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type Command, CommandFailed } from "../command.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";

export const sinkShow: Command = {
  name: "sink show",
  summary: "Show the broker that gets the events of all accounts, and what waits for it",
  args: [],
  options: {},
  async run({ print }) {
    const state = await withDatabase(({ db }) => sinkState(db));
    print(state, () => {
      if (state === null) return "There is no sink: no node has started with SINK_URL";
      return table([
        ["sink", state.url],
        ["kinds", state.kinds.join(", ")],
        ["accounts", `${state.accounts}, failing: ${state.failing}${sinceText(state.failingSince)}`],
        ["waiting", `${state.queued} queued${sinceText(state.queuedSince)}, ${state.parked} parked`],
        ...(state.failure === null
          ? []
          : [["last failure", `${state.failedAt?.toISOString()} ${state.failure}`]]),
      ]);
    });
  },
};

function sinceText(time: Date | null): string {
  return time === null ? "" : `, the first since ${time.toISOString()}`;
}

export const sinkReplay: Command = {
  name: "sink replay",
  summary: "Publish all events again that the sink refused until the end of their schedule",
  args: [],
  options: {},
  async run({ print }) {
    const { accounts, failures } = await withDatabase(async ({ db }) => {
      if ((await sinkState(db)) === null) throw new CommandFailed("There is no sink");
      const begun = new Set<number>();
      const failures: string[] = [];
      for (const { accountId, receiverId, eventIds } of await parkedOfSink(db))
        try {
          await requestReplay(db, { accountId }, { selection: { kind: "parked", receiverId, eventIds } });
          begun.add(accountId);
        } catch (error) {
          failures.push(`account ${accountId}: ${messageOf(error)}`);
        }
      notifyNodes(db, "replays", "");
      return { accounts: begun.size, failures };
    });
    if (failures.length > 0)
      throw new CommandFailed(
        `The parked events of ${accounts} accounts are published again, but not all: ${failures.join("; ")}`,
      );
    print({ accounts }, () => `The parked events of ${accounts} accounts are published again`);
  },
};

export const sinkDrop: Command = {
  name: "sink drop",
  summary: "End the sink, after SINK_URL was removed from all nodes; discards what waits for it",
  args: [],
  options: { yes: { help: "Discard also events that wait" } },
  async run({ print, switches }) {
    const accounts = await withDatabase(async ({ db }) => {
      const state = await sinkState(db);
      if (state === null) throw new CommandFailed("There is no sink");
      if (state.queued + state.parked > 0 && !switches.includes("yes"))
        throw new CommandFailed(
          `${state.queued} events wait for the sink and ${state.parked} are parked; "${commandLine("sink drop --yes")}" discards them`,
        );
      return dropSink(db);
    });
    print({ accounts }, () => `The sink is gone; ${accounts} accounts had it`);
  },
};
