import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { locale } from "../../kit/i18n.ts";
import { shortName } from "../../kit/messenger.tsx";
import { beginning } from "../../kit/pieces.ts";
import { durationText, numberText } from "../format.ts";
import { Card, Empty, Load, Select, Table, View } from "../parts.tsx";
import { account, accountName, hrefTo, route, session, setQuery, useLoad } from "../state.ts";
import { commonWords as common, chartsWords as words } from "../texts/texts.ts";
import { Chart, LineSign } from "./chart.tsx";

type Query = Operations["getChart"]["input"]["query"];
type ChartData = Operations["getChart"]["output"];
type DataLine = ChartData["lines"][number];

const KINDS = ["messages", "inbound", "requests", "deliveries", "waiting", "queue", "disk"] as const;
const OF_ACCOUNTS = KINDS.slice(0, -2);
const RANGES = ["hour", "day", "month"] as const;
const SHOWN = ["counts", "means", "peaks"] as const;
type Shown = (typeof SHOWN)[number];

/** What a kind can be grouped by, and which of its values mean something. */
const OFFERS: Readonly<
  Record<Query["kind"], { readonly by: readonly Query["by"][]; readonly shown: readonly Shown[] }>
> = {
  messages: { by: ["label", "subject", "transport"], shown: ["counts"] },
  inbound: { by: ["subject", "transport"], shown: ["counts"] },
  requests: { by: ["label", "subject", "transport"], shown: ["counts", "means", "peaks"] },
  deliveries: { by: ["label", "subject"], shown: ["counts", "means", "peaks"] },
  waiting: { by: ["subject", "transport"], shown: ["peaks", "means"] },
  queue: { by: ["label"], shown: ["peaks", "means"] },
  disk: { by: ["label"], shown: ["peaks"] },
};

/** The chosen one of these, or the first. */
function choice<T extends string>(name: string, options: readonly T[]): T {
  const given = route.value.query.get(name);
  return options.find((each) => each === given) ?? (options[0] as T);
}

/** Counts, times and queues over an hour, a day or a month. The address has the whole choice. */
export function ChartsView() {
  const isWhole = session.value?.operator.accountId === null;
  const kind = choice("kind", isWhole ? KINDS : OF_ACCOUNTS);
  const by = choice("by", OFFERS[kind].by);
  const range = choice("range", RANGES);
  const shown = choice("shows", OFFERS[kind].shown);
  const subject = route.value.query.get("subject") ?? "";
  const query: Query = {
    ...{ kind, by, range },
    ...(account.value === null ? {} : { account: account.value }),
    ...(subject === "" ? {} : { subject }),
  };
  const chart = useLoad("getChart", { query }, 30_000);
  const now: Readonly<Record<string, string>> = { kind, by, range, shows: shown, subject };
  const change = (name: string) => (value: string) => setQuery({ ...now, [name]: value });
  const nameOf = (group: Query["by"]) =>
    group === "subject" && kind === "deliveries" ? words.value.receiver : words.value[group];
  return (
    <View title={common.value.charts}>
      <div class="flex flex-wrap items-end gap-3">
        <Select
          label={words.value.what}
          value={kind}
          onChange={(value) => setQuery({ kind: value, range })}
          options={(isWhole ? KINDS : OF_ACCOUNTS).map((each) => [each, words.value[each]])}
        />
        <Select
          label={words.value.by}
          value={by}
          onChange={change("by")}
          options={OFFERS[kind].by.map((each) => [each, nameOf(each)])}
        />
        <Select
          label={words.value.range}
          value={range}
          onChange={change("range")}
          options={RANGES.map((each) => [each, words.value[each]])}
        />
        {OFFERS[kind].shown.length > 1 && (
          <Select
            label={words.value.shows}
            value={shown}
            onChange={change("shows")}
            options={OFFERS[kind].shown.map((each) => [each, words.value[each]])}
          />
        )}
        {subject !== "" && <Button onPress={() => change("subject")("")}>{words.value.everything}</Button>}
      </div>
      <Card
        title={[words.value[kind], query.account && accountName(Number(query.account))]
          .filter(Boolean)
          .join(" · ")}
      >
        <Load from={chart} rows={6}>
          {(data) =>
            data.lines.length === 0 ? (
              <Empty>{words.value.empty}</Empty>
            ) : (
              <Drawn key={`${kind} ${by} ${range}`} data={data} query={query} shown={shown} />
            )
          }
        </Load>
      </Card>
    </View>
  );
}

interface DrawnProps {
  readonly data: ChartData;
  readonly query: Query;
  readonly shown: Shown;
}

function Drawn({ data, query, shown }: DrawnProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const { kind, range, by } = query;
  const isTime = shown !== "counts" && (kind === "requests" || kind === "deliveries");
  const valueText = isTime ? durationText : (value: number) => numberText(Math.round(value * 10) / 10);
  const times = timesOf(data, range);
  const lines = data.lines.map((line) => ({
    key: line.isRest ? "rest" : line.key,
    name: nameOf(line, query),
    values: line[shown],
  }));
  const total = data.lines.reduce((sum, line) => sum + valueIn(line, "counts", chosen), 0);
  const minutes = (data.stepSeconds * (chosen === null ? data.points : 1)) / 60;
  const rows = data.lines.map((line, index) => ({ line, index }));
  return (
    <div class="grid min-w-0 gap-2 p-4 xl:grid-cols-[minmax(0,1fr)_30rem]">
      <div class="min-w-0">
        <Chart
          label={words.value[kind]}
          lines={lines}
          times={times}
          valueText={valueText}
          isWhole={shown === "counts"}
          chosen={chosen}
          onChoose={setChosen}
        />
        {range === "month" && <p class="text-xs text-dim">{words.value.utc}</p>}
      </div>
      <div class="min-w-0">
        <p class="px-4 py-1 text-sm text-dim" aria-live="polite">
          {chosen === null ? words.value.whole : words.value.at(times[chosen] ?? "")}
        </p>
        <Table
          label={words.value.line}
          rows={rows}
          keyOf={({ index }) => String(index)}
          columns={[
            {
              title: words.value.line,
              cell: ({ line, index }) => (
                <span class="flex min-w-0 items-center gap-2">
                  <LineSign index={index} />
                  <LineName line={line} query={query} by={by} />
                </span>
              ),
            },
            {
              title: shown === "counts" ? words.value.sum : words.value[shown],
              class: "whitespace-nowrap",
              cell: ({ line }) => valueText(valueIn(line, shown, chosen)),
            },
            ...(shown === "counts"
              ? [
                  {
                    title: words.value.rate,
                    cell: ({ line }: { line: DataLine }) =>
                      numberText(Math.round((valueIn(line, "counts", chosen) / minutes) * 100) / 100),
                  },
                  {
                    title: words.value.share,
                    cell: ({ line }: { line: DataLine }) =>
                      total === 0
                        ? "–"
                        : `${numberText(Math.round((valueIn(line, "counts", chosen) / total) * 1_000) / 10)} %`,
                  },
                ]
              : []),
          ]}
        />
      </div>
      <details class="min-w-0 xl:col-span-2">
        <summary class="min-h-6 text-sm text-dim">{words.value.values}</summary>
        <Table
          label={words.value.values}
          rows={times.map((time, point) => ({ time, point }))}
          keyOf={({ point }) => String(point)}
          columns={[
            { title: words.value.time, cell: ({ time }) => time },
            ...lines.map(({ name, values }) => ({
              title: name,
              cell: ({ point }: { point: number }) => {
                const value = values[point] ?? null;
                return value === null ? "–" : valueText(value);
              },
            })),
          ]}
        />
      </details>
    </div>
  );
}

/** Channels and receivers lead to their page. */
function LineName({
  line,
  query,
  by,
}: {
  readonly line: DataLine;
  readonly query: Query;
  readonly by: Query["by"];
}) {
  const name = nameOf(line, query);
  if (by !== "subject" || line.accountId === null) return <span class="min-w-0">{name}</span>;
  const owner = String(line.accountId);
  const href =
    query.kind === "deliveries"
      ? hrefTo(["webhooks", owner], { receiver: line.key })
      : hrefTo(["channels", owner, line.key]);
  return (
    <a href={href} class="inline-block min-w-0 leading-6">
      {name}
    </a>
  );
}

/** With the account, if all are shown. */
function nameOf(line: DataLine, { by, account: chosen }: Query): string {
  if (line.isRest) return words.value.others;
  if (by === "subject") {
    if (line.accountId === null) return words.value.unknown;
    const name = beginning(line.name);
    return chosen === undefined ? `${name} · ${accountName(line.accountId)}` : name;
  }
  if (by === "transport" && line.key !== "") return shortName(line.key);
  const known: Readonly<Record<string, unknown>> = words.value;
  const named = by === "label" ? known[line.key] : undefined;
  if (typeof named === "string") return named;
  return line.key === "" ? words.value.unknown : line.key;
}

/** At a point, or in the whole period: the sum of the counts, the mean of all, the largest. */
function valueIn(line: DataLine, shown: Shown, point: number | null): number {
  if (point !== null) return line[shown][point] ?? 0;
  const sum = line.counts.reduce((all, count) => all + count, 0);
  if (shown === "counts") return sum;
  if (shown === "peaks") return Math.max(0, ...line.peaks.map((peak) => peak ?? 0));
  const total = line.means.reduce<number>(
    (all, mean, index) => all + (mean ?? 0) * (line.counts[index] ?? 0),
    0,
  );
  return sum === 0 ? 0 : total / sum;
}

function timesOf({ from, stepSeconds, points }: ChartData, range: Query["range"]): string[] {
  const format = new Intl.DateTimeFormat(
    locale.value,
    range === "month"
      ? { day: "numeric", month: "short", timeZone: "UTC" }
      : { hour: "2-digit", minute: "2-digit", hour12: false },
  );
  const start = Date.parse(from);
  return Array.from({ length: points }, (_, point) => format.format(start + point * stepSeconds * 1_000));
}
