import { type ChannelNotice, listChannelNotices } from "../../core/pacing/notices.ts";
import type { PacingView } from "../../core/pacing/view.ts";
import type { Queryable } from "../../database/database.ts";
import { accountId, type Command, CommandFailed, needed } from "../command.ts";
import { table, titledTable } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { pacingLines, pacingOf } from "./channel-pacing.ts";

interface ChannelLine {
  readonly id: string;
  readonly account_id: number;
  readonly transport: string;
  readonly status: string;
  readonly reason: string | null;
  readonly name: string;
  readonly node: string | null;
  readonly queued: number;
}

// Excludes the sealed columns.
const CHANNELS = `select c.id, c.account_id, c.transport, c.status, c.reason, c.name, n.name as node,
    (select count(*) from send_jobs j where j.account_id = c.account_id and j.channel_id = c.id) as queued
  from channels c left join nodes n on n.id = c.owner and n.lease_until > now()`;

export const channelList: Command = {
  name: "channel list",
  summary: "List the channels with their status and queue",
  args: [],
  options: { account: { value: "ID", help: "Only those of this account" } },
  async run({ options, print }) {
    const account = options["account"] === undefined ? null : accountId(options["account"]);
    const channels = await withDatabase(({ db }) =>
      db.query<ChannelLine>(
        `${CHANNELS} where c.deleted_at is null and ($1::bigint is null or c.account_id = $1) order by c.account_id, c.created_at`,
        [account],
      ),
    );
    print(channels.map(publicLine), () =>
      titledTable(
        ["channel", "account", "transport", "status", "queued", "node", "name"],
        channels.map((channel) => [
          channel.id,
          String(channel.account_id),
          channel.transport,
          statusText(channel),
          String(channel.queued),
          channel.node ?? "-",
          channel.name,
        ]),
        "There is no channel",
      ),
    );
  },
};

export const channelShow: Command = {
  name: "channel show",
  summary: "Show a channel with its queue and the end of its log",
  args: ["ID"],
  options: { account: { value: "ID", help: "Only if it belongs to this account" } },
  async run({ args, options, print }) {
    const account = options["account"] === undefined ? null : accountId(options["account"]);
    const found = await withDatabase(({ db }) => loadChannel(db, needed(args[0]), account));
    const { channel, queue, pacing, notices, log } = found;
    print({ ...publicLine(channel), queue, pacing, notices, log }, () => describe(found));
  },
};

interface QueueLine {
  readonly jobs: number;
  readonly chats: number;
  readonly oldest: Date | null;
}

interface LogLine {
  readonly at: Date;
  readonly level: string;
  readonly message: string;
  readonly details: unknown;
}

interface Found {
  readonly channel: ChannelLine;
  readonly queue: QueueLine;
  /** Null if this release does not know the channel's transport. */
  readonly pacing: PacingView | null;
  readonly notices: readonly ChannelNotice[];
  readonly log: readonly LogLine[];
}

async function loadChannel(db: Queryable, id: string, account: number | null): Promise<Found> {
  const [channel] = await db.query<ChannelLine>(
    `${CHANNELS} where c.id::text = $1 and ($2::bigint is null or c.account_id = $2)`,
    [id.toLowerCase(), account],
  );
  if (channel === undefined)
    throw new CommandFailed(`There is no channel ${id}; "trunkline channel list" shows those there are`);
  const [queue] = await db.query<QueueLine>(
    "select count(*) as jobs, count(distinct chat) as chats, min(created_at) as oldest from send_jobs where account_id = $1 and channel_id = $2",
    [channel.account_id, channel.id],
  );
  const log = await db.query<LogLine>(
    "select at, level, message, details from channel_log where account_id = $1 and channel_id = $2 order by id desc limit 20",
    [channel.account_id, channel.id],
  );
  const key = { accountId: channel.account_id, channelId: channel.id };
  return {
    channel,
    queue: queue ?? { jobs: 0, chats: 0, oldest: null },
    pacing: await pacingOf(db, { ...key, transport: channel.transport }),
    notices: await listChannelNotices(db, key, 10),
    log: log.reverse(),
  };
}

function publicLine(channel: ChannelLine): object {
  const { account_id: account, ...rest } = channel;
  return { ...rest, accountId: account };
}

function statusText({ status, reason }: ChannelLine): string {
  return reason === null ? status : `${status} (${reason})`;
}

function describe({ channel, queue, pacing, notices, log }: Found): string {
  const waiting =
    queue.oldest === null
      ? "nothing"
      : `${queue.jobs} jobs of ${queue.chats} chats, the oldest since ${queue.oldest.toISOString()}`;
  const lines = log.map(({ at, level, message, details }) =>
    [at.toISOString(), level, message, details === null ? "" : JSON.stringify(details)].join("  ").trimEnd(),
  );
  return [
    table([
      ["channel", channel.id],
      ["account", String(channel.account_id)],
      ["transport", channel.transport],
      ["name", channel.name],
      ["status", statusText(channel)],
      ["node", channel.node ?? "none"],
      ["waiting", waiting],
      ...(pacing === null ? [] : pacingLines(pacing)),
    ]),
    ...section(
      "notices",
      notices.map(({ at, kind, text }) => `${at.toISOString()}  ${kind}  ${text}`),
    ),
    ...section("log", lines),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return [title, ...(lines.length === 0 ? ["  nothing"] : lines.map((line) => `  ${line}`))];
}
