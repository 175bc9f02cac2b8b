import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button, buttonClass } from "../../kit/button.tsx";
import { Badge, Notice, type Tone } from "../../kit/notice.tsx";
import { numberText } from "../format.ts";
import { AccountName, Card, type Column, Load, Table, Time, View } from "../parts.tsx";
import { account, ask, mayAct, useAct, useLoad } from "../state.ts";
import { commonWords as common, exportsWords as words } from "../texts/texts.ts";

type Export = Operations["listConsoleExports"]["output"][number];

const TONES: Readonly<Record<string, Tone>> = { done: "ok", webhook_failed: "wait", processing: "wait" };

export function ExportsView() {
  const query = account.value === null ? {} : { account: account.value };
  const exports = useLoad("listConsoleExports", { query }, 3_000);
  const columns: Column<Export>[] = [
    {
      title: words.value.period,
      cell: (row) => (
        <span class="grid">
          <Time at={row.startAt} isWhole />
          <Time at={row.endAt} isWhole />
        </span>
      ),
    },
    { title: common.value.account, cell: (row) => <AccountName id={row.accountId} /> },
    {
      title: common.value.status,
      cell: (row) => (
        <Badge tone={TONES[row.status] ?? "neutral"}>
          {words.value[row.status as "pending" | "processing" | "done" | "webhook_failed"]}
        </Badge>
      ),
    },
    { title: words.value.messages, cell: (row) => numberText(row.messages) },
    { title: words.value.until, cell: (row) => <Time at={row.expiresAt} /> },
    {
      title: words.value.file,
      cell: (row) => (row.finishedAt === null ? "–" : <Download item={row} />),
    },
  ];
  return (
    <View title={common.value.exports}>
      {mayAct.value &&
        (account.value === null ? (
          <Notice tone="neutral">{common.value.chooseAccount}</Notice>
        ) : (
          <AskForm accountId={account.value} onDone={exports.reload} />
        ))}
      <Card title={common.value.exports}>
        <Load from={exports} empty={words.value.empty}>
          {(rows) => (
            <Table label={common.value.exports} columns={columns} rows={rows} keyOf={({ id }) => id} />
          )}
        </Load>
      </Card>
    </View>
  );
}

/** The link is requested on demand: anyone with it can download the file. */
function Download({ item }: { readonly item: Export }) {
  const { busy, problem, run } = useAct();
  const [url, setUrl] = useState<string>();
  const get = () =>
    run(async () => {
      const path = { account: String(item.accountId), export_id: item.id };
      const { data } = await ask("accountGetMessageExport", { path });
      setUrl(data.url ?? "");
    });
  if (url)
    return (
      <a href={url} class={buttonClass("plain")} download rel="noreferrer">
        {words.value.download}
      </a>
    );
  return (
    <>
      {problem !== undefined && <span class="text-bad">{problem} </span>}
      <Button busy={busy} onPress={get}>
        {words.value.file}
      </Button>
    </>
  );
}

function AskForm({ accountId, onDone }: { readonly accountId: string; readonly onDone: () => void }) {
  const [from, setFrom] = useState(day(-7));
  const [to, setTo] = useState(day(0));
  const { busy, problem, run } = useAct();
  const submit = () =>
    run(async () => {
      const body = { start_at: `${from}T00:00:00Z`, end_at: `${to}T23:59:59Z` };
      await ask("accountExportMessages", { path: { account: accountId }, body });
      onDone();
    });
  return (
    <form
      class="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Day label={words.value.from} value={from} onChange={setFrom} />
      <Day label={words.value.to} value={to} onChange={setTo} />
      <Button type="submit" look="primary" busy={busy}>
        {words.value.ask}
      </Button>
      <p class="basis-full text-sm text-dim">{words.value.askHint}</p>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </form>
  );
}

function Day({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label class="grid gap-1 text-sm">
      <span class="text-dim">{label}</span>
      <input
        type="date"
        required
        class="min-h-10 rounded-md border border-edge bg-bg px-2"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

function day(offset: number): string {
  return new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
}
