import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { dictionary } from "../../kit/i18n.ts";
import { Badge, type Tone } from "../../kit/notice.tsx";
import { agoText, durationText, numberText, timeText } from "../format.ts";
import { Card, type Column, Empty, Load, Select, Table, Time, View } from "../parts.tsx";
import { account, hrefTo, mayAct, route, setQuery, useLoad } from "../state.ts";
import { words as common } from "../words.ts";
import { ReceiverActions } from "./receiver.tsx";
import { RangeReplay, ReplayButton } from "./replay.tsx";

type Receiver = Operations["listConsoleReceivers"]["output"][number];
type Delivery = Operations["accountListDeliveries"]["output"]["data"][number];

export const words = dictionary({
  en: {
    receivers: "Receivers",
    receiver: "Receiver",
    receiverGone: "removed",
    receiversEmpty: "No receivers. No account has set a webhook address yet.",
    address: "Address",
    health: "Health",
    active: "healthy",
    failing: "failing",
    paused: "paused",
    times: (count: number, ago: string) => `${count} in a row, for ${ago}`,
    waiting: "Waiting",
    parked: (count: number) => `${count} undeliverable`,
    lastSuccess: "Last success",
    deliveries: "Deliveries",
    deliveriesEmpty: "No matching deliveries. Deliveries are kept for 30 days.",
    result: "Result",
    delivered: "delivered",
    refused: "refused",
    failed: "no response",
    replay: "replay",
    test: "test",
    events: "Events",
    answer: "Response",
    took: "Duration",
    selected: (count: number) => `Replay ${count} selected`,
    choose: (time: string) => `Select the delivery of ${time}`,
  },
  ru: {
    receivers: "Получатели",
    receiver: "Получатель",
    receiverGone: "удалён",
    receiversEmpty: "Ни у одного аккаунта ещё нет адреса для вебхуков.",
    address: "Адрес",
    health: "Состояние",
    active: "принимает",
    failing: "не принимает",
    paused: "приостановлен",
    times: (count: number, ago: string) => `подряд ${count}, уже ${ago}`,
    waiting: "Ждут",
    parked: (count: number) => `отклонено: ${count}`,
    lastSuccess: "Последний успех",
    deliveries: "Доставки",
    deliveriesEmpty: "Ничего не найдено. Здесь все запросы к получателям за 30 дней.",
    result: "Итог",
    delivered: "принято",
    refused: "отказано",
    failed: "нет ответа",
    replay: "повтор",
    test: "проверка",
    events: "События",
    answer: "Ответ",
    took: "Заняло",
    selected: (count: number) => `Повторить выбранные: ${count}`,
    choose: (time: string) => `Выбрать запрос от ${time}`,
  },
});

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
          <span class="text-xs text-dim">
            {row.version} · {row.accountId}
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
    <View title={words.value.deliveries} back={{ href: hrefTo(["webhooks"]), text: common.value.webhooks }}>
      <Card title={words.value.receivers}>
        <Load from={{ ...receivers, data: shown }} rows={1} empty={words.value.receiversEmpty}>
          {(rows) => <ReceiverTable rows={rows} onChange={receivers.reload} />}
        </Load>
      </Card>
      <Deliveries accountId={accountId} />
    </View>
  );
}

const FILTERS = ["receiver", "result", "kind"] as const;

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
                onDone={() => {
                  setChosen(new Set());
                  deliveries.reload();
                }}
              />
            )}
            <RangeReplay accountId={accountId} receiverId={receiver} onDone={deliveries.reload} />
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
            ...[...new Set([...kinds, ...(kind === "" ? [] : [kind])])].map((each) => [each, each] as const),
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
  );
}

export function DeliveryResult({
  delivery,
}: {
  readonly delivery: Pick<Delivery, "result" | "purpose" | "status">;
}) {
  const result = delivery.result as "delivered" | "refused" | "failed";
  return (
    <span class="inline-flex flex-wrap gap-1">
      <Badge tone={result === "delivered" ? "ok" : "bad"}>{words.value[result]}</Badge>
      {delivery.purpose === "replay" && <Badge tone="neutral">{words.value.replay}</Badge>}
      {delivery.purpose === "test" && <Badge tone="neutral">{words.value.test}</Badge>}
    </span>
  );
}

/** Addresses of the account's receivers, by id; undefined until they are loaded. */
export function useReceiverNames(accountId: string): ReadonlyMap<string, string> | undefined {
  const { data } = useLoad("listConsoleReceivers", { query: { account: accountId } });
  if (data === undefined) return undefined;
  return new Map(data.map(({ id, url }) => [id, url.split("?", 1)[0] ?? ""]));
}

interface DeliveryTableProps {
  readonly accountId: string;
  readonly rows: readonly Delivery[];
  readonly empty: string;
  readonly chosen?: ReadonlySet<number>;
  readonly onChoose?: (chosen: ReadonlySet<number>) => void;
}

export function DeliveryTable({ accountId, rows, empty, chosen, onChoose }: DeliveryTableProps) {
  const receivers = useReceiverNames(accountId);
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const toggle = (id: number) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChoose?.(next);
  };
  const columns: Column<Delivery>[] = [
    {
      title: common.value.at,
      cell: (row) => (
        <span class="flex items-center gap-2">
          {onChoose !== undefined && (
            <input
              type="checkbox"
              class="h-6 w-6"
              aria-label={words.value.choose(timeText(row.at))}
              // A test has nothing to send again.
              disabled={row.purpose === "test"}
              checked={chosen?.has(row.id) ?? false}
              onChange={() => toggle(row.id)}
            />
          )}
          <a href={hrefTo(["webhooks", accountId, String(row.id)])} class="inline-block leading-6">
            <Time at={row.at} />
          </a>
        </span>
      ),
    },
    ...(receivers === undefined
      ? []
      : [
          {
            title: words.value.receiver,
            cell: (row: Delivery) => (
              <a
                href={hrefTo(["webhooks", accountId], { receiver: row.receiverId })}
                class="inline-block leading-6 wrap-anywhere"
              >
                {receivers.get(row.receiverId) ?? words.value.receiverGone}
              </a>
            ),
          },
        ]),
    { title: words.value.result, cell: (row) => <DeliveryResult delivery={row} /> },
    { title: words.value.answer, cell: (row) => row.status ?? row.failure ?? "–" },
    { title: words.value.events, cell: (row) => `${row.items} · ${row.kinds.join(", ")}` },
    { title: words.value.took, cell: (row) => durationText(row.durationMs) },
  ];
  return (
    <Table label={words.value.deliveries} columns={columns} rows={rows} keyOf={({ id }) => String(id)} />
  );
}
