import { setTimeout as sleep } from "node:timers/promises";
import { removeDeadLetters, replayDeadLetters } from "../../core/dead-letter/actions.ts";
import {
  type DeadLetterFilter,
  deadLetterPayload,
  type ListedDeadLetter,
  listDeadLetters,
  replayProgress,
} from "../../core/dead-letter/list.ts";
import { isNodeRunning } from "../../core/node/nodes.ts";
import type { Database } from "../../database/database.ts";
import { accountId, type Command, CommandFailed, needed, numbers, UsageError } from "../command.ts";
import { titledTable } from "../table.ts";
import { withAccountFilter } from "../with-account.ts";
import { withDatabase } from "../with-database.ts";
import { uuid } from "./webhook.ts";

const MAX_LISTED = 1_000;
const POLL_MS = 200;
/** How long to wait for a busy session; after that, the command reports what is still pending. */
const REPLAY_TIMEOUT_MS = 30_000;

const CHOICE = {
  account: { value: "ID", help: "Only those of this account" },
  channel: { value: "ID", help: "Only those of this channel" },
  id: { value: "ID,...", help: 'Only these, by their ids in "inbound refused"' },
} as const;

export const inboundRefused: Command = {
  name: "inbound refused",
  summary: "List the messengers' reports that could not be read or stored, newest first",
  args: [],
  options: { account: CHOICE.account, channel: CHOICE.channel },
  async run({ options, print }) {
    const letters = await withFilter(filterOf(options), (db, filter) =>
      listDeadLetters(db, filter, MAX_LISTED),
    );
    const titles = ["id", "account", "channel", "transport", "stage", "bytes", "times", "last", "reason"];
    print(letters, () => titledTable(titles, letters.map(cells), "Nothing was refused"));
  },
};

export const inboundShow: Command = {
  name: "inbound show",
  summary: "Print a refused report of a messenger as JSON",
  args: ["ID"],
  options: {},
  async run({ args, print }) {
    const [id = 0] = numbers("ID", needed(args[0]));
    const payload = await withDatabase(({ db }) => deadLetterPayload(db, id));
    if (payload === null) throw new CommandFailed(`Nothing was refused under the id ${id}`);
    print(JSON.parse(payload), () => JSON.stringify(JSON.parse(payload), null, 2));
  },
};

export const inboundReplay: Command = {
  name: "inbound replay",
  summary: "Process refused reports again; those that succeed are removed from the list",
  args: [],
  options: CHOICE,
  async run({ options, print }) {
    const result = await withFilter(chosen(options), replayed);
    print(result, () => describe(result));
    if (result.refused.length > 0) process.exitCode = 1;
  },
};

export const inboundRemove: Command = {
  name: "inbound remove",
  summary: "Remove refused reports",
  args: [],
  options: CHOICE,
  async run({ options, print }) {
    const removed = await withFilter(chosen(options), removeDeadLetters);
    print({ removed }, () => `${removed} removed`);
  },
};

function withFilter<T>(
  filter: DeadLetterFilter,
  work: (db: Database, filter: DeadLetterFilter) => Promise<T>,
): Promise<T> {
  return withAccountFilter(filter.accountId ?? null, ({ db }) => work(db, filter));
}

interface Replayed {
  readonly asked: number;
  readonly waiting: number;
  readonly refused: readonly number[];
}

async function replayed(db: Database, filter: DeadLetterFilter): Promise<Replayed> {
  const ids = await replayDeadLetters(db, filter);
  const until = performance.now() + ((await isNodeRunning(db, "sessions")) ? REPLAY_TIMEOUT_MS : 0);
  for (;;) {
    const progress = await replayProgress(db, ids);
    if (progress.waiting === 0 || performance.now() > until) return { asked: ids.length, ...progress };
    await sleep(POLL_MS);
  }
}

function describe({ asked, waiting, refused }: Replayed): string {
  if (asked === 0) return "There is nothing to replay";
  const stored = asked - waiting - refused.length;
  const lines = [`${stored} of ${asked} have been stored, ${refused.length} were refused again`];
  if (waiting > 0)
    lines.push(
      `${waiting} will be processed as soon as a service with the role "sessions" has their channels open`,
    );
  return lines.join("\n");
}

function chosen(options: Readonly<Record<string, string | undefined>>): DeadLetterFilter {
  if (Object.keys(CHOICE).every((name) => options[name] === undefined))
    throw new UsageError("Specify --id, --channel or --account");
  return filterOf(options);
}

function filterOf({ account, channel, id }: Readonly<Record<string, string | undefined>>): DeadLetterFilter {
  return {
    accountId: account === undefined ? undefined : accountId(account),
    channelId: channel === undefined ? undefined : uuid("channel", channel),
    ids: id === undefined ? undefined : numbers("--id", id),
  };
}

function cells(letter: ListedDeadLetter): string[] {
  const { id, accountId: account, channelId, transport, stage, bytes, times, lastAt, reason } = letter;
  const numbersOf = [bytes, times].map(String);
  return [
    String(id),
    String(account),
    channelId,
    transport,
    stage,
    ...numbersOf,
    lastAt.toISOString(),
    reason,
  ];
}
