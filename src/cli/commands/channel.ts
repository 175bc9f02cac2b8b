import { type LogLine, readChannelLog } from "../../core/console/channels.ts";
import {
  findOperatorChannel,
  listOperatorChannels,
  type OperatorChannel,
  readSendQueue,
  type SendQueue,
} from "../../core/console/operator-channels.ts";
import { type ChannelNotice, listChannelNotices } from "../../core/pacing/notices.ts";
import type { PacingView } from "../../core/pacing/view.ts";
import type { Queryable } from "../../database/database.ts";
import { accountId, type Command, needed } from "../command.ts";
import { noChannel } from "../find-channel.ts";
import { table, titledTable } from "../table.ts";
import { withAccountFilter } from "../with-account.ts";
import { pacingLines, pacingOf } from "./channel-pacing.ts";

export const channelList: Command = {
  name: "channel list",
  summary: "List the channels with their status and queue",
  args: [],
  options: { account: { value: "ID", help: "Only those of this account" } },
  async run({ options, print }) {
    const account = options["account"] === undefined ? null : accountId(options["account"]);
    const channels = await withAccountFilter(account, ({ db }) => listOperatorChannels(db, account));
    print(channels, () =>
      titledTable(
        ["channel", "account", "transport", "status", "queued", "node", "name"],
        channels.map((channel) => [
          channel.id,
          String(channel.accountId),
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
    const found = await withAccountFilter(account, ({ db }) => loadChannel(db, needed(args[0]), account));
    const { channel, queue, pacing, notices, log } = found;
    print({ ...channel, queue, pacing, notices, log }, () => describe(found));
  },
};

type LoggedLine = Omit<LogLine, "id">;

interface Found {
  readonly channel: OperatorChannel;
  readonly queue: SendQueue;
  /** Null if this release does not know the channel's transport. */
  readonly pacing: PacingView | null;
  readonly notices: readonly ChannelNotice[];
  readonly log: readonly LoggedLine[];
}

async function loadChannel(db: Queryable, id: string, account: number | null): Promise<Found> {
  const channel = await findOperatorChannel(db, id, account);
  if (channel === null) throw await noChannel(db, id);
  const key = { accountId: channel.accountId, channelId: channel.id };
  return {
    channel,
    queue: await readSendQueue(db, key),
    pacing: await pacingOf(db, { ...key, transport: channel.transport }),
    notices: await listChannelNotices(db, key, 10),
    log: await lastLines(db, key),
  };
}

/** The end of the channel's log, in order. */
async function lastLines(
  db: Queryable,
  channel: { readonly accountId: number; readonly channelId: string },
): Promise<LoggedLine[]> {
  const search = { level: null, text: "", after: 0, before: Number.MAX_SAFE_INTEGER, limit: 20 };
  const lines = await readChannelLog(db, channel, search);
  return lines.map(({ id: _, ...line }) => line).reverse();
}

function statusText({ status, reason }: OperatorChannel): string {
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
      ["account", String(channel.accountId)],
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
