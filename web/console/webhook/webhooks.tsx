import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Badge, type Tone } from "../../kit/notice.tsx";
import { agoText, numberText } from "../format.ts";
import { AccountName, Card, type Column, Load, Select, Table, Time, View } from "../parts.tsx";
import { account, accountName, hrefTo, mayAct, route, setQuery, useLoad } from "../state.ts";
import { commonWords as common, webhooksWords as words } from "../texts/texts.ts";
import { DeliveryTable } from "./delivery-table.tsx";
import { ReceiverActions } from "./receiver.tsx";
import { RangeReplay, ReplayButton } from "./replay.tsx";
import { ReplayProgress } from "./replay-progress.tsx";

type Receiver = Operations["listConsoleReceivers"]["output"][number];

const HEALTH: Readonly<Record<Receiver["state"], Tone>> = { active: "ok", failing: "bad", paused: "bad" };

export function WebhooksView() {
  const query = account.value === null ? {} : { account: account.value };
  const receivers = useLoad("listConsoleReceivers", { query }, 5_000);
  return (
    <View title={common.value.webhooks}>
      <Card title={words.value.receivers}>
        <Load from={receivers} empty={words.value.receiversEmpty}>
          {(rows) => <ReceiverTable rows={rows} onChange={receivers.reload} />}
        </Load>
      </Card>
      {account.value !== null && <Deliveries accountId={account.value} />}
    </View>
  );
}

interface ReceiverTableProps {
  readonly rows: readonly Receiver[];
  readonly onChange: () => void;
}

function ReceiverTable({ rows, onChange }: ReceiverTableProps) {
  const columns: Column<Receiver>[] = [
    {
      title: words.value.address,
      cell: (row) => (
        <span class="grid">
          <a
            href={hrefTo(["webhooks", String(row.accountId)], { receiver: row.id })}
            class="inline-block leading-6 font-semibold"
          >
            {row.url}
          </a>
          <span class="flex flex-wrap items-baseline gap-x-2 text-xs text-dim">
            {row.version}
            <AccountName id={row.accountId} />
          </span>
        </span>
      ),
    },
    {
      title: words.value.health,
      cell: (row) => (
        <span class="grid justify-items-start gap-1">
          <Badge tone={HEALTH[row.state]}>{words.value[row.state]}</Badge>
          {row.failingSince !== null && (
            <span class="text-xs text-dim">{words.value.times(row.failures, agoText(row.failingSince))}</span>
          )}
        </span>
      ),
    },
    {
      title: words.value.waiting,
      cell: (row) => (
        <span class="grid">
          {numberText(row.queued)}
          {row.parked > 0 && <span class="text-xs text-bad">{words.value.parked(row.parked)}</span>}
        </span>
      ),
    },
    { title: words.value.lastSuccess, cell: (row) => <Time at={row.lastSuccessAt} /> },
    ...(mayAct.value
      ? [
          {
            title: common.value.actions,
            cell: (row: Receiver) => <ReceiverActions receiver={row} onChange={onChange} />,
          },
        ]
      : []),
  ];
  return <Table label={words.value.receivers} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

/** The log of one account, or of the receiver in the address. */
export function DeliveriesView({ accountId }: { readonly accountId: string }) {
  const query = { account: accountId };
  const receivers = useLoad("listConsoleReceivers", { query }, 5_000);
  const wanted = route.value.query.get("receiver") ?? "";
  const shown = receivers.data?.filter(({ id }) => wanted === "" || id === wanted);
  return (
    <View
      title={words.value.deliveries}
      detail={`${common.value.account}: ${accountName(Number(accountId))}`}
      back={{ href: hrefTo(["webhooks"]), text: common.value.webhooks }}
    >
      <Card title={words.value.receivers}>
        <Load from={{ ...receivers, data: shown }} rows={1} empty={words.value.receiversEmpty}>
          {(rows) => <ReceiverTable rows={rows} onChange={receivers.reload} />}
        </Load>
      </Card>
      <Deliveries accountId={accountId} />
    </View>
  );
}

const FILTERS = ["receiver", "result", "kind", "replay"] as const;

function Deliveries({ accountId }: { readonly accountId: string }) {
  const { query: given } = route.value;
  const filter = Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ""]));
  const { receiver = "", result: asked = "", kind = "" } = filter;
  // The overview requests failures, with or without a response.
  const result = (["delivered", "refused", "failed"] as const).find((each) => each === asked);
  const query = {
    limit: 50,
    ...(receiver === "" ? {} : { receiverId: receiver }),
    ...(result === undefined ? {} : { result }),
    ...(kind === "" ? {} : { kind }),
  };
  const deliveries = useLoad("accountListDeliveries", { path: { account: accountId }, query }, 5_000);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const change = (name: string, value: string) => setQuery({ ...filter, [name]: value });
  const kinds = [...new Set(deliveries.data?.data.flatMap((each) => each.kinds) ?? [])].toSorted();
  return (
    <>
      <ReplayProgress accountId={accountId} />
      <Card
        title={words.value.deliveries}
        actions={
          mayAct.value && (
            <>
              {chosen.size > 0 && (
                <ReplayButton
                  accountId={accountId}
                  ids={[...chosen]}
                  label={words.value.selected(chosen.size)}
                  onRequested={() => setChosen(new Set())}
                />
              )}
              <RangeReplay accountId={accountId} receiverId={receiver} />
            </>
          )
        }
      >
        <div class="flex flex-wrap gap-3 p-4">
          <Select
            label={words.value.result}
            value={result ?? ""}
            onChange={(value) => change("result", value)}
            options={[
              ["", common.value.all],
              ["delivered", words.value.delivered],
              ["refused", words.value.refused],
              ["failed", words.value.failed],
            ]}
          />
          <Select
            label={common.value.kind}
            value={kind}
            onChange={(value) => change("kind", value)}
            options={[
              ["", common.value.all],
              ...[...new Set([...kinds, ...(kind === "" ? [] : [kind])])].map(
                (each) => [each, each] as const,
              ),
            ]}
          />
        </div>
        <Load from={deliveries}>
          {({ data }) => (
            <DeliveryTable
              accountId={accountId}
              rows={data}
              empty={words.value.deliveriesEmpty}
              {...(mayAct.value ? { chosen, onChoose: setChosen } : {})}
            />
          )}
        </Load>
      </Card>
    </>
  );
}
