import type { Operations } from "../../kit/api/generated.ts";
import { dictionary } from "../../kit/i18n.ts";
import { MessengerMark, messengerName } from "../../kit/messenger.tsx";
import { agoText, numberText } from "../format.ts";
import { Card, ChannelStatus, type Column, Load, Search, Table, Time, View } from "../parts.tsx";
import { account, hrefTo, route, setQuery, useLoad } from "../state.ts";
import { words as common } from "../words.ts";

export type Channel = Operations["getConsoleChannel"]["output"];

const words = dictionary({
  en: {
    channel: "Channel",
    queue: "Queue",
    traffic: "Last message",
    searchBy: "Name, phone, username, messenger or id",
    empty: "No channels yet. A channel appears here once it is connected.",
    oldest: (ago: string) => `oldest ${ago}`,
  },
  ru: {
    channel: "Канал",
    queue: "Очередь",
    traffic: "Последнее сообщение",
    searchBy: "Название, телефон, имя пользователя, мессенджер или id",
    empty: "Каналов пока нет. Они появятся, как только кто-нибудь подключит канал.",
    oldest: (ago: string) => `старейшее ${ago}`,
  },
});

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
      cell: (row) => (
        <a href={hrefTo(["accounts", String(row.accountId)])} class="inline-block leading-6">
          {row.accountName}
        </a>
      ),
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
