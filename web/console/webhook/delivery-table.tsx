import type { Operations } from "../../kit/api/generated.ts";
import { Badge } from "../../kit/notice.tsx";
import { durationText, timeText } from "../format.ts";
import { type Column, Empty, Table, Time } from "../parts.tsx";
import { hrefTo, useLoad } from "../state.ts";
import { commonWords as common, webhooksWords as words } from "../texts/texts.ts";

type Delivery = Operations["accountListDeliveries"]["output"]["data"][number];

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
            <Time at={row.at} isWhole />
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
