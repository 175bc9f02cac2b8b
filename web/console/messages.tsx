import { useEffect } from "preact/hooks";
import type { Operations } from "../kit/api/generated.ts";
import { Button } from "../kit/button.tsx";
import { MessengerMark } from "../kit/messenger.tsx";
import { Badge, Notice, type Tone } from "../kit/notice.tsx";
import { beginning } from "../kit/pieces.ts";
import { More, usePages } from "./pages.tsx";
import { Card, type Column, Empty, Load, Search, Select, Table, Time, View } from "./parts.tsx";
import { account, ask, chooseAccount, hrefTo, route, setQuery, useLoad } from "./state.ts";
import { commonWords as common, messagesWords as words } from "./texts/texts.ts";

type Line = Operations["findMessages"]["output"]["data"][number];

const TONES: Readonly<Record<string, Tone>> = { queued: "wait", error: "bad", delivered: "ok", read: "ok" };

export function MessageStatus({
  message,
}: {
  readonly message: { readonly status: Line["status"]; readonly errorCode: string | null };
}) {
  return (
    <span class="inline-flex flex-wrap items-center gap-1">
      <Badge tone={TONES[message.status] ?? "neutral"}>{words.value[message.status]}</Badge>
      {message.errorCode !== null && <span class="text-xs text-bad">{message.errorCode}</span>}
    </span>
  );
}

export function MessagesView() {
  const { query } = route.value;
  const named = query.get("account");
  useEffect(() => {
    if (named !== null) chooseAccount(named);
  }, [named]);
  return (
    <View title={common.value.messages}>
      {account.value === null ? (
        <Notice tone="neutral">{common.value.chooseAccount}</Notice>
      ) : (
        <Found key={account.value} accountId={account.value} />
      )}
    </View>
  );
}

const FILTERS = ["search", "channel", "direction", "status"] as const;

function Found({ accountId }: { readonly accountId: string }) {
  const { query } = route.value;
  const filter = Object.fromEntries(
    FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? ""]] : [])),
  );
  const change = (name: string, value: string) => setQuery({ ...filter, [name]: value });
  const input = { path: { account: accountId }, query: filter };
  const first = useLoad("findMessages", input, 5_000);
  return (
    <>
      <div class="flex flex-wrap items-end gap-3">
        <Search
          label={words.value.searchBy}
          value={filter["search"] ?? ""}
          onSearch={(text) => change("search", text)}
        />
        <Select
          label={words.value.direction}
          value={filter["direction"] ?? ""}
          onChange={(value) => change("direction", value)}
          options={[
            ["", common.value.all],
            ...(["in", "out", "echo"] as const).map((each) => [each, words.value[each]] as const),
          ]}
        />
        <Select
          label={common.value.status}
          value={filter["status"] ?? ""}
          onChange={(value) => change("status", value)}
          options={[
            ["", common.value.all],
            ...(["queued", "sent", "delivered", "read", "error", "inbound"] as const).map(
              (each) => [each, words.value[each]] as const,
            ),
          ]}
        />
        {filter["channel"] !== undefined && (
          <Button onPress={() => change("channel", "")}>{words.value.clear}</Button>
        )}
      </div>
      <Card title={common.value.messages}>
        <Load from={first}>
          {(page) => <Lines key={JSON.stringify(input)} accountId={accountId} input={input} first={page} />}
        </Load>
      </Card>
    </>
  );
}

interface LinesProps {
  readonly accountId: string;
  readonly input: { readonly path: { account: string }; readonly query: object };
  readonly first: { readonly data: readonly Line[]; readonly next: string | null };
}

function Lines({ accountId, input, first }: LinesProps) {
  const { rows, ...more } = usePages(first, (cursor) =>
    ask("findMessages", { ...input, query: { ...input.query, cursor } }),
  );
  if (rows.length === 0) return <Empty>{words.value.empty}</Empty>;
  const columns: Column<Line>[] = [
    { title: common.value.at, cell: (row) => <Time at={row.createdAt} /> },
    {
      title: words.value.chat,
      cell: (row) => (
        <span class="flex items-center gap-2">
          <MessengerMark transport={row.transport} size={24} />
          <span class="grid min-w-0">
            <span class="font-semibold">{beginning(row.chatName || row.chatId)}</span>
            <span class="text-xs text-dim wrap-normal">{words.value[row.direction]}</span>
          </span>
        </span>
      ),
    },
    {
      title: words.value.text,
      class: "md:w-1/2",
      cell: (row) => (
        <a href={hrefTo(["messages", accountId, row.id])} class="line-clamp-2 inline-block leading-6">
          {row.text || row.type}
        </a>
      ),
    },
    { title: common.value.status, cell: (row) => <MessageStatus message={row} /> },
  ];
  return (
    <>
      <Table label={common.value.messages} columns={columns} rows={rows} keyOf={({ id }) => id} />
      <More {...more} />
    </>
  );
}
