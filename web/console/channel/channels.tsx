import type { Operations } from "../../kit/api/generated.ts";
import { MessengerMark } from "../../kit/messenger.tsx";
import { messengerName } from "../../kit/messenger-name.ts";
import { agoText, numberText } from "../format.ts";
import { AccountName, Card, ChannelStatus, type Column, Load, Search, Table, Time, View } from "../parts.tsx";
import { account, hrefTo, route, setQuery, useLoad } from "../state.ts";
import { commonWords as common, channelsWords as words } from "../texts/texts.ts";

export type Channel = Operations["getConsoleChannel"]["output"];

export function channelName(channel: {
  readonly name: string;
  readonly phone: string;
  readonly username: string;
  readonly transport: string;
  readonly label: string;
}): string {
  const { name, phone, username } = channel;
  return name || phoneText(phone) || username || messengerName(channel);
}

/** Some messengers have another identifier in place of a number. */
export function phoneText(phone: string): string {
  return /^\d{5,15}$/.test(phone) ? `+${phone}` : phone;
}

export function ChannelsView() {
  const search = route.value.query.get("search") ?? "";
  const query = {
    ...(account.value === null ? {} : { account: account.value }),
    ...(search === "" ? {} : { search }),
  };
  const channels = useLoad("listConsoleChannels", { query }, 5_000);
  const columns: Column<Channel>[] = [
    { title: words.value.channel, cell: (row) => <Name channel={row} /> },
    {
      title: common.value.status,
      cell: (row) => (
        <span class="grid gap-1">
          <ChannelStatus channel={row} />
          <span class="text-xs text-dim">{agoText(row.statusAt)}</span>
        </span>
      ),
    },
    {
      title: words.value.queue,
      cell: (row) => (
        <span class="grid">
          {numberText(row.queued)}
          {row.oldestAt !== null && (
            <span class="text-xs text-dim">{words.value.oldest(agoText(row.oldestAt))}</span>
          )}
        </span>
      ),
    },
    { title: words.value.traffic, cell: (row) => <Time at={row.lastMessageAt} /> },
    {
      title: common.value.account,
      cell: (row) => <AccountName id={row.accountId} />,
    },
  ];
  return (
    <View title={common.value.channels}>
      <div class="flex">
        <Search label={words.value.searchBy} value={search} onSearch={(text) => setQuery({ search: text })} />
      </div>
      <Card title={common.value.channels}>
        <Load from={channels} empty={words.value.empty}>
          {(rows) => (
            <Table label={common.value.channels} columns={columns} rows={rows} keyOf={({ id }) => id} />
          )}
        </Load>
      </Card>
    </View>
  );
}

function Name({ channel }: { readonly channel: Channel }) {
  return (
    <span class="flex items-center gap-3">
      <MessengerMark transport={channel.transport} size={32} />
      <span class="grid min-w-0">
        <a
          href={hrefTo(["channels", String(channel.accountId), channel.id])}
          class="inline-block leading-6 font-semibold"
        >
          {channelName(channel)}
        </a>
        <span class="text-xs text-dim">{messengerName(channel)}</span>
      </span>
    </span>
  );
}
