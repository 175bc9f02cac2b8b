import { findOperatorReceiver, listOperatorReceivers } from "../../core/console/operator-receivers.ts";
import type { Core } from "../../core/core.ts";
import { discardParked, listParked, type ParkedEvent } from "../../core/delivery/cursor/parked.ts";
import { listNotices } from "../../core/delivery/receiver/notices.ts";
import {
  type Asking,
  pauseByHand,
  type Receiver,
  resumeByHand,
} from "../../core/delivery/receiver/receivers.ts";
import { getSecret, rotateSecret, type WebhookSecret } from "../../core/delivery/receiver/secret.ts";
import { testReceiver } from "../../core/delivery/receiver/test-receiver.ts";
import {
  type LogFilter,
  type LoggedAttempt,
  listAttempts,
  RESULTS,
} from "../../core/delivery/request/delivery-log.ts";
import type { Scope } from "../../core/scope.ts";
import type { Queryable } from "../../database/database.ts";
import { commandLine } from "../../platform/command-line.ts";
import { isUuid } from "../../platform/ids.ts";
import { createGuardedDispatcher } from "../../platform/network/safe-fetch.ts";
import { accountId, type Command, CommandFailed, needed, numbers, UsageError } from "../command.ts";
import { table, titledTable } from "../table.ts";
import { withAccountFilter } from "../with-account.ts";
import { withDatabase } from "../with-database.ts";
import { withKeys } from "../with-keys.ts";

const RECEIVER = ["RECEIVER"];

export const webhookList: Command = {
  name: "webhook list",
  summary: "List the receivers of webhooks with their state and queue",
  args: [],
  options: { account: { value: "ID", help: "Only those of this account" } },
  async run({ options, print }) {
    const account = options["account"] === undefined ? null : accountId(options["account"]);
    const receivers = await withAccountFilter(account, ({ db }) => listOperatorReceivers(db, account));
    print(receivers, () =>
      titledTable(
        ["receiver", "account", "state", "queued", "parked", "version", "address"],
        receivers.map(({ id, accountId: owner, state, queued, parked, version, url }) =>
          [id, owner, state, queued, parked, version, url || "-"].map(String),
        ),
        "There is no receiver",
      ),
    );
  },
};

/** The same without the sink, which gets no requests. */
async function findWebhook(db: Queryable, id: string): Promise<Receiver> {
  const found = await findReceiver(db, id);
  if (found.version === "sink")
    throw new CommandFailed(
      `${id} is the sink, which gets no requests; "${commandLine("sink show")}" shows it`,
    );
  return found;
}

/** Finds a receiver of any account, because an operator may see all. */
async function findReceiver(db: Queryable, id: string): Promise<Receiver> {
  const found = await findOperatorReceiver(db, id);
  if (found === null)
    throw new CommandFailed(
      `There is no receiver ${id}; "${commandLine("webhook list")}" shows those there are`,
    );
  return found;
}

export const webhookShow: Command = {
  name: "webhook show",
  summary: "Show a receiver with its latest notices",
  args: RECEIVER,
  options: {},
  async run({ args, print }) {
    const shown = await withDatabase(async ({ db }) => {
      const receiver = await findReceiver(db, needed(args[0]));
      const notices = await listNotices(db, receiver, { endpointId: receiver.id, limit: 20 });
      return { ...receiver, notices };
    });
    print(shown, () =>
      [
        describe(shown),
        "notices",
        ...(shown.notices.length === 0 ? ["  nothing"] : []),
        ...shown.notices.map(({ at, kind, text }) => `  ${at.toISOString()}  ${kind}  ${text}`),
      ].join("\n"),
    );
  },
};

function describe(receiver: Receiver): string {
  const { failures, failingSince, pausedAt, pauseReason } = receiver;
  const failing =
    failingSince === null ? "" : `, failing since ${failingSince.toISOString()} (${failures} times)`;
  const paused = pausedAt === null ? "" : ` since ${pausedAt.toISOString()} (${pauseReason})`;
  return table([
    ["receiver", receiver.id],
    ["account", String(receiver.accountId)],
    ["version", receiver.version],
    ["address", receiver.url || "-"],
    ["kinds", receiver.kinds.join(", ") || "-"],
    ["state", `${receiver.state}${paused}${failing}`],
    ["last success", receiver.lastSuccessAt?.toISOString() ?? "-"],
    ["waiting", `${receiver.queued} queued, ${receiver.parked} parked`],
    ["at a time", `${receiver.maxItems ?? "default"} events, ${receiver.concurrency} requests`],
  ]);
}

export const webhookLog: Command = {
  name: "webhook log",
  summary: "List the requests to a receiver, newest first, of the last 30 days",
  args: RECEIVER,
  options: {
    result: { value: RESULTS.join("|"), help: "Only those with this result" },
    kind: { value: "KIND", help: "Only those with events of this kind" },
    channel: { value: "ID", help: "Only those with events of this channel" },
    message: { value: "ID", help: "Only those about this message" },
    limit: { value: "N", help: "Maximum number; default 50" },
  },
  async run({ args, options, print }) {
    const filter = filterOf(options);
    const limit = Number(options["limit"] ?? 50);
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError("--limit must be a number above 0");
    const { data } = await withDatabase(async ({ db }) => {
      const receiver = await findReceiver(db, needed(args[0]));
      return listAttempts(db, receiver, { filter: { ...filter, receiverId: receiver.id }, limit });
    });
    print(data, () =>
      titledTable(
        ["id", "at", "purpose", "result", "status", "ms", "items", "kinds", "failure"],
        data.map(logLine),
        "There is no request",
      ),
    );
  },
};

/** The options that filter requests of the log. */
export function filterOf(options: Readonly<Record<string, string | undefined>>): LogFilter {
  const { kind, channel, message } = options;
  const result = RESULTS.find((one) => one === options["result"]);
  if (options["result"] !== undefined && result === undefined)
    throw new UsageError(`--result must be one of ${RESULTS.join(", ")}`);
  return {
    ...(result === undefined ? {} : { result }),
    ...(kind === undefined ? {} : { kind }),
    ...(channel === undefined ? {} : { channelId: uuid("channel", channel) }),
    ...(message === undefined ? {} : { subject: message }),
  };
}

export function uuid(option: string, value: string): string {
  if (!isUuid(value))
    throw new UsageError(`--${option} must be an id such as 0197a1b2-0000-4000-8000-000000000001`);
  return value.toLowerCase();
}

function logLine(attempt: LoggedAttempt): string[] {
  const { id, at, purpose, result, status, durationMs, items, kinds, failure } = attempt;
  return [
    String(id),
    at.toISOString(),
    purpose,
    result,
    String(status ?? "-"),
    String(durationMs),
    String(items),
    kinds.join("+") || "-",
    failure ?? "",
  ];
}

/** Of one receiver, newest first. */
const MAX_PARKED = 1_000;

export const webhookParked: Command = {
  name: "webhook parked",
  summary: "List the events that a receiver refused until the end of their schedule",
  args: RECEIVER,
  options: {},
  async run({ args, print }) {
    const data = await withDatabase(async ({ db }) => {
      const receiver = await findReceiver(db, needed(args[0]));
      const of = { receiverId: receiver.id, limit: MAX_PARKED };
      const found: ParkedEvent[] = [];
      let page = await listParked(db, receiver, of);
      for (
        found.push(...page.data);
        page.next !== null && found.length < MAX_PARKED;
        found.push(...page.data)
      )
        page = await listParked(db, receiver, { ...of, cursor: page.next });
      return found.slice(0, MAX_PARKED);
    });
    print(data, () =>
      titledTable(
        ["event", "kind", "about", "parked at", "reason"],
        data.map(({ eventId, kind, subject, parkedAt, reason }) => [
          String(eventId),
          kind,
          subject,
          parkedAt.toISOString(),
          reason,
        ]),
        "Nothing is parked",
      ),
    );
  },
};

export const webhookDiscard: Command = {
  name: "webhook discard",
  summary: "Discard parked events; a replay requested before may still send them",
  args: RECEIVER,
  options: { event: { value: "ID,...", help: 'These, by their ids in "webhook parked"', required: true } },
  async run({ args, options, print }) {
    const eventIds = numbers("--event", needed(options["event"]));
    const discarded = await withDatabase(async ({ db }) => {
      const { id: receiverId, ...scope } = await findReceiver(db, needed(args[0]));
      return discardParked(db, scope, { receiverId, eventIds });
    });
    print({ discarded }, () => `${discarded} discarded`);
  },
};

export const webhookPause: Command = {
  name: "webhook pause",
  summary: "Stop deliveries to a receiver; all events are kept",
  args: RECEIVER,
  options: {},
  run: ({ args, print }) => switchReceiver(needed(args[0]), pauseByHand, print),
};

export const webhookResume: Command = {
  name: "webhook resume",
  summary: "Resume deliveries to a paused receiver, kept events first",
  args: RECEIVER,
  options: {},
  run: ({ args, print }) => switchReceiver(needed(args[0]), resumeByHand, print),
};

async function switchReceiver(
  id: string,
  work: (db: Core["db"], scope: Scope, id: string, asking: Asking) => Promise<Receiver>,
  print: (result: unknown, text: () => string) => void,
): Promise<void> {
  const receiver = await withDatabase(async ({ db }) => {
    const found = await findReceiver(db, id);
    return work(db, found, found.id, { withSink: true });
  });
  print(receiver, () => `${receiver.id} is ${receiver.state}; ${receiver.queued} events wait`);
}

export const webhookTest: Command = {
  name: "webhook test",
  summary: "Send a receiver an example of each of its kinds, marked as a test",
  args: RECEIVER,
  options: {},
  async run({ args, print }) {
    const results = await withKeys(async (keys, { config }) => {
      const { id: receiverId, ...scope } = await findWebhook(keys.db, needed(args[0]));
      const dispatcher = createGuardedDispatcher({ allowNetworks: config.allowNetworks });
      const poster = { dispatcher, timeoutMs: config.webhookTimeoutSeconds * 1000 };
      return testReceiver({ ...keys, addressKeys: new WeakMap() }, poster, { scope, receiverId }).finally(
        () => dispatcher.destroy(),
      );
    });
    print(results, () =>
      titledTable(
        ["kind", "ok", "status", "ms", "failure"],
        results.map(({ kind, ok, status, durationMs, failure }) => [
          kind,
          ok ? "yes" : "no",
          String(status ?? "-"),
          String(durationMs),
          failure ?? "",
        ]),
        "The receiver has no kinds",
      ),
    );
    if (results.some(({ ok }) => !ok)) process.exitCode = 1;
  },
};

export const webhookSecret: Command = {
  name: "webhook secret",
  summary: "Show or rotate the secret with which a receiver verifies signatures",
  args: RECEIVER,
  options: {
    rotate: {
      value: "HOURS",
      help: "Generate a new one; for this many hours, requests are signed with both",
    },
  },
  async run({ args, options, print }) {
    const hours = options["rotate"] === undefined ? null : Number(options["rotate"]);
    if (hours !== null && !(hours >= 0 && hours <= 720))
      throw new UsageError("--rotate must be a number of hours from 0 to 720");
    const secret = await withKeys(async (keys) => {
      const { id: receiverId, ...scope } = await findWebhook(keys.db, needed(args[0]));
      if (hours === null) return getSecret(keys, scope, receiverId);
      return rotateSecret(keys, scope, { receiverId, overlapSeconds: Math.round(hours * 3_600) });
    });
    print(secret, () => secretText(secret));
  },
};

function secretText({ secret, previousUntil }: WebhookSecret): string {
  const both = `Until ${previousUntil?.toISOString()} requests are also signed with the previous secret.`;
  return previousUntil === null ? secret : `${secret}\n${both}`;
}
