import { useState } from "preact/hooks";
import type { Operations } from "../kit/api/generated.ts";
import { Badge } from "../kit/notice.tsx";
import { Alerts } from "./alerts.tsx";
import { agoText, bytesText, durationText, numberText } from "./format.ts";
import { People } from "./operator/people.tsx";
import { More, usePages } from "./pages.tsx";
import { AccountName, Card, type Column, Empty, Facts, Load, Search, Table, Time, View } from "./parts.tsx";
import { account, ask, hrefTo, isOperator, session, useLoad } from "./state.ts";
import { commonWords as common, systemWords as words } from "./texts/texts.ts";

type System = Operations["getSystem"]["output"];
type Sink = NonNullable<Operations["getSink"]["output"]["sink"]>;
type Entry = Operations["listConsoleAudit"]["output"]["data"][number];

type Part = "nodes" | "database" | "alerts" | "settings" | "people" | "audit";

/** The parts that the person may see, the first one first. */
function partsOf(): Part[] {
  const isWhole = session.value?.operator.accountId === null;
  return [
    ...(isWhole ? (["nodes", "database"] as const) : []),
    ...(isOperator.value ? (["alerts"] as const) : []),
    ...(isWhole ? (["settings"] as const) : []),
    ...(isOperator.value ? (["people"] as const) : []),
    "audit",
  ];
}

/** Each part has an address of its own. */
export function SystemView({ part: wanted }: { readonly part: string }) {
  const all = partsOf();
  const part = all.find((each) => each === wanted) ?? all[0] ?? "audit";
  return (
    <View title={common.value.system}>
      {all.length > 1 && (
        <nav aria-label={words.value.parts} class="flex flex-wrap gap-1">
          {all.map((each) => (
            <a
              key={each}
              href={hrefTo(["system", each])}
              aria-current={each === part ? "page" : undefined}
              class={`flex min-h-10 items-center rounded-md px-3 no-underline ${
                each === part ? "bg-pane font-semibold text-accent-text" : "text-ink hover:bg-pane"
              }`}
            >
              {words.value[each]}
            </a>
          ))}
        </nav>
      )}
      <SystemPart part={part} />
    </View>
  );
}

function SystemPart({ part }: { readonly part: Part }) {
  switch (part) {
    case "alerts":
      return <Alerts />;
    case "people":
      return <People />;
    case "audit":
      return <Audit />;
    default:
      return <Installation part={part} />;
  }
}

function Installation({ part }: { readonly part: "nodes" | "database" | "settings" }) {
  const system = useLoad("getSystem", {}, 10_000);
  return (
    <Load from={system} rows={8}>
      {(found) => {
        if (part === "settings") return <Settings settings={found.settings} />;
        if (part === "database") return <Database system={found} />;
        return (
          <div class="grid min-w-0 gap-4 lg:grid-cols-2">
            <Nodes nodes={found.nodes} />
            <Queues queues={found.queues} />
            {found.exits.length > 0 && <Exits exits={found.exits} />}
            <EventSink />
          </div>
        );
      }}
    </Load>
  );
}

function Nodes({ nodes }: Pick<System, "nodes">) {
  return (
    <Card title={words.value.nodes}>
      <Table
        label={words.value.nodes}
        rows={nodes}
        keyOf={(row) => `${row.name} ${row.startedAt}`}
        columns={[
          {
            title: words.value.node,
            cell: (row) => (
              <span class="flex flex-wrap items-center gap-2">
                {row.name}
                <Badge tone={row.isAlive ? "ok" : "bad"}>
                  {row.isAlive ? words.value.alive : words.value.gone}
                </Badge>
              </span>
            ),
          },
          { title: words.value.roles, cell: (row) => row.roles.join(", ") },
          { title: words.value.schema, cell: (row) => row.schemaVersion },
          { title: words.value.channels, cell: (row) => row.channels },
          { title: words.value.started, cell: (row) => agoText(row.startedAt) },
        ]}
      />
    </Card>
  );
}

/** The operator's proxies. */
function Exits({ exits }: Pick<System, "exits">) {
  return (
    <Card title={words.value.exits}>
      <Table
        label={words.value.exits}
        rows={exits}
        keyOf={({ exit }) => exit}
        columns={[
          { title: words.value.exit, cell: ({ address }) => address },
          { title: words.value.transports, cell: ({ transports }) => transports.join(", ") },
          { title: words.value.channels, cell: ({ channels }) => numberText(channels) },
          { title: words.value.waiting, cell: ({ waiting }) => numberText(waiting) },
          {
            title: words.value.state,
            cell: ({ failure, waiting }) => {
              if (failure !== null) return <Badge tone="bad">{failure}</Badge>;
              if (waiting > 0) return <Badge tone="wait">{words.value.failsElsewhere}</Badge>;
              return <Badge tone="ok">{words.value.works}</Badge>;
            },
          },
        ]}
      />
    </Card>
  );
}

/** The operator's broker. Only where there is one. */
function EventSink() {
  const from = useLoad("getSink", {}, 10_000);
  if (from.error === undefined && from.data?.sink == null) return null;
  return (
    <Card title={words.value.sink}>
      <Load from={from}>{({ sink }) => sink !== null && <SinkFacts sink={sink} />}</Load>
    </Card>
  );
}

function SinkFacts({ sink }: { readonly sink: Sink }) {
  const { sinkAddress, state, takes, takesNothing, sinkWaiting, sinceOldest, sinkRefused, lastFailure } =
    words.value;
  const { failing, queuedSince } = sink;
  const oldest = queuedSince === null ? [] : [sinceOldest(agoText(queuedSince))];
  return (
    <Facts
      facts={[
        [sinkAddress, sink.url],
        [
          state,
          <Badge key="state" tone={failing > 0 ? "bad" : "ok"}>
            {failing > 0 ? takesNothing(failing) : takes}
          </Badge>,
        ],
        [sinkWaiting, [numberText(sink.queued), ...oldest].join(", ")],
        [sinkRefused, numberText(sink.parked)],
        [
          lastFailure,
          sink.failure === null ? (
            "–"
          ) : (
            <>
              <Time at={sink.failedAt} /> · {sink.failure}
            </>
          ),
        ],
      ]}
    />
  );
}

function Queues({ queues }: Pick<System, "queues">) {
  return (
    <Card title={words.value.queues}>
      <Table
        label={words.value.queues}
        rows={queues}
        keyOf={({ queue }) => queue}
        columns={[
          { title: words.value.queue, cell: (row) => words.value[row.queue] },
          { title: words.value.waiting, cell: (row) => numberText(row.jobs) },
          {
            title: words.value.oldest,
            cell: (row) => (row.delay > 0 ? durationText(row.delay * 1_000) : "–"),
          },
        ]}
      />
    </Card>
  );
}

function Database({ system: { database, version, node } }: { readonly system: System }) {
  return (
    <div class="min-w-0 lg:col-span-2">
      <Card title={words.value.database}>
        <Facts
          facts={[
            [words.value.size, bytesText(database.bytes)],
            [words.value.versions, `Trunkline ${version} · Node.js ${node} · PostgreSQL ${database.version}`],
            [words.value.connections, words.value.of(database.connections, database.maxConnections)],
          ]}
        />
        <Table
          label={words.value.database}
          rows={database.tables.slice(0, 8)}
          keyOf={({ name }) => name}
          columns={[
            { title: words.value.table, cell: (row) => row.name },
            { title: words.value.size, cell: (row) => bytesText(row.bytes) },
            { title: words.value.rows, cell: (row) => numberText(row.rows) },
            { title: words.value.dead, cell: (row) => numberText(row.deadRows) },
            { title: words.value.vacuum, cell: (row) => <Time at={row.vacuumedAt} /> },
          ]}
        />
      </Card>
    </div>
  );
}

function Settings({ settings }: Pick<System, "settings">) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const rows = settings.filter(({ name, help }) => `${name} ${help}`.toLowerCase().includes(wanted));
  return (
    <Card title={words.value.settings}>
      <div class="grid gap-3 p-4">
        <p class="text-sm text-dim">{words.value.settingsHint}</p>
        <div class="flex">
          <Search label={words.value.filter} value={text} onSearch={setText} />
        </div>
      </div>
      <Table
        label={words.value.settings}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          {
            title: common.value.name,
            cell: (row) => (
              <span class="grid">
                <code class="font-mono text-xs font-semibold">{row.name}</code>
                <span class="text-xs text-dim">{row.help}</span>
              </span>
            ),
          },
          {
            title: words.value.value,
            class: "md:w-1/3",
            cell: (row) => <code class="font-mono text-xs">{row.value || "–"}</code>,
          },
          {
            title: words.value.origin,
            cell: (row) => (
              <Badge tone={row.origin === "environment" ? "ok" : "neutral"}>{words.value[row.origin]}</Badge>
            ),
          },
        ]}
      />
    </Card>
  );
}

function Audit() {
  const query = account.value === null ? {} : { account: account.value };
  const first = useLoad("listConsoleAudit", { query }, 10_000);
  return (
    <Card title={words.value.audit}>
      <Load from={first}>{(page) => <Entries key={JSON.stringify(query)} query={query} first={page} />}</Load>
    </Card>
  );
}

interface EntriesProps {
  readonly query: object;
  readonly first: { readonly data: readonly Entry[]; readonly next: string | null };
}

function Entries({ query, first }: EntriesProps) {
  const { rows, ...more } = usePages(first, (cursor) =>
    ask("listConsoleAudit", { query: { ...query, cursor } }),
  );
  if (rows.length === 0) return <Empty>{words.value.auditEmpty}</Empty>;
  const columns: Column<Entry>[] = [
    { title: common.value.at, cell: (row) => <Time at={row.at} /> },
    {
      title: words.value.action,
      cell: (row) => <code class="font-mono text-xs whitespace-nowrap">{row.action}</code>,
    },
    {
      title: words.value.who,
      cell: (row) => (
        <span class="grid">
          <span>{[row.actor, row.actorId].filter(Boolean).join(" ")}</span>
          <span class="text-xs text-dim">{row.from}</span>
        </span>
      ),
    },
    { title: common.value.account, cell: (row) => <AccountName id={row.accountId} /> },
    {
      title: words.value.details,
      class: "md:w-1/3",
      cell: (row) => (
        <span class="grid gap-1 text-xs">
          {row.subject !== "" && <code class="font-mono">{row.subject}</code>}
          {JSON.stringify(row.details) !== "{}" && (
            <code class="font-mono text-dim">{JSON.stringify(row.details)}</code>
          )}
        </span>
      ),
    },
  ];
  return (
    <>
      <Table label={words.value.audit} columns={columns} rows={rows} keyOf={({ id }) => String(id)} />
      <More {...more} />
    </>
  );
}
