import { setTimeout as sleep } from "node:timers/promises";
import { getReplay, type Replay, requestReplay, type Selection } from "../../core/delivery/request/replay.ts";
import { AppError } from "../../core/errors.ts";
import { isNodeRunning } from "../../core/node/nodes.ts";
import type { Database, Queryable } from "../../database/database.ts";
import { accountId, type Command, CommandFailed, needed, numbers, UsageError } from "../command.ts";
import { table } from "../table.ts";
import { withAccount } from "../with-account.ts";
import { filterOf, uuid } from "./webhook.ts";

const POLL_INTERVAL_MS = 200;
/** The options that filter the requests of a period. */
const SEARCH = ["to", "result", "kind", "channel", "message"];

export const replay: Command = {
  name: "replay",
  summary: "Send webhooks again: requests of the log, those of a period, or parked events",
  args: [],
  options: {
    account: { value: "ID", help: "The account", required: true },
    delivery: { value: "ID,...", help: 'These requests, by their ids in "webhook log"' },
    from: { value: "TIME", help: "Requests sent since then; each accepted delivery once" },
    to: { value: "TIME", help: "Together with --from: until then" },
    result: { value: "RESULT", help: "Together with --from: refused or failed requests instead" },
    kind: { value: "KIND", help: "Together with --from: only events of this kind" },
    channel: { value: "ID", help: "Together with --from: only events of this channel" },
    message: { value: "ID", help: "Together with --from: only about this message" },
    receiver: { value: "ID", help: "Only to this receiver" },
    parked: { help: "Parked events; those that are accepted are no longer parked" },
    event: { value: "ID,...", help: "Together with --parked: only these" },
  },
  async run({ options, switches, print, progress }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const selection = selectionOf(options, switches.includes("parked"));
    const result = await withAccount(scope.accountId, async ({ db }) => {
      const id = await requested(db, scope, selection);
      return (await isNodeRunning(db, "delivery"))
        ? waitFor(db, scope, { id, progress })
        : getReplay(db, scope, id);
    });
    print(result, () => describe(result));
    if (result.failed > 0) process.exitCode = 1;
  },
};

function selectionOf(options: Readonly<Record<string, string | undefined>>, parked: boolean): Selection {
  const { delivery, from, to, event, receiver } = options;
  const chosen = [delivery !== undefined, from !== undefined, parked].filter(Boolean).length;
  if (chosen !== 1) throw new UsageError("Specify one of --delivery, --from and --parked");
  if (!parked && event !== undefined) throw new UsageError("--event requires --parked");
  const search = SEARCH.filter((name) => options[name] !== undefined);
  if (from === undefined && search.length > 0)
    throw new UsageError(`Only --from can be combined with --${search.join(" and --")}`);
  const receiverId = receiver === undefined ? {} : { receiverId: uuid("receiver", receiver) };
  if (parked) {
    return {
      kind: "parked",
      ...receiverId,
      ...(event === undefined ? {} : { eventIds: numbers("--event", event) }),
    };
  }
  if (delivery !== undefined) return { kind: "attempts", ids: numbers("--delivery", delivery) };
  const times = {
    ...(from === undefined ? {} : { from: time("from", from) }),
    ...(to === undefined ? {} : { to: time("to", to) }),
  };
  return { kind: "log", filter: { ...filterOf(options), ...receiverId, ...times } };
}

function time(option: string, text: string): Date {
  const found = new Date(text);
  if (Number.isNaN(found.getTime()))
    throw new UsageError(`--${option} must be a time such as 2030-01-02T03:04:05Z`);
  return found;
}

async function requested(
  db: Database,
  scope: { readonly accountId: number },
  selection: Selection,
): Promise<string> {
  try {
    return await requestReplay(db, scope, { selection });
  } catch (error) {
    throw error instanceof AppError ? new CommandFailed(error.message) : error;
  }
}

async function waitFor(
  db: Queryable,
  scope: { readonly accountId: number },
  { id, progress }: { readonly id: string; readonly progress: (line: string) => void },
): Promise<Replay> {
  let reported = 0;
  for (;;) {
    const state = await getReplay(db, scope, id);
    if (state.finishedAt !== null) return state;
    const done = state.delivered + state.failed;
    if (done >= reported + 100) progress(`${done} of ${state.total}`);
    if (done >= reported + 100) reported = done;
    await sleep(POLL_INTERVAL_MS);
  }
}

function describe({ id, finishedAt, total, delivered, failed, failures }: Replay): string {
  if (total === 0) return "There is nothing to replay";
  if (finishedAt === null)
    return `${total} deliveries will be sent as soon as a service with the role "delivery" runs (replay ${id})`;
  const lines = failures.map(({ deliveryId, status, failure }) => [deliveryId, failure ?? `HTTP ${status}`]);
  return [
    `${delivered} of ${total} deliveries were accepted, ${failed} failed`,
    ...(lines.length > 0 ? [table(lines)] : []),
  ].join("\n");
}
