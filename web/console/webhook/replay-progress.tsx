import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { More, usePages } from "../pages.tsx";
import { Card, Load } from "../parts.tsx";
import { ask, route, setQuery, useLoad } from "../state.ts";
import { commonWords as common, progressWords as words } from "../texts/texts.ts";
import { DeliveryTable } from "./delivery-table.tsx";

type Replay = Operations["accountGetReplay"]["output"];
type Sent = Operations["accountListDeliveries"]["output"];

const LOOK_EVERY_MS = 1_000;

/** The replay in the view's address: how far it is, and its new deliveries. */
export function ReplayProgress({ accountId }: { readonly accountId: string }) {
  const id = route.value.query.get("replay") ?? "";
  return id === "" ? null : <Progress key={id} accountId={accountId} id={id} />;
}

function Progress({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const path = { account: accountId };
  const [isOver, setIsOver] = useState(false);
  const every = isOver ? 0 : LOOK_EVERY_MS;
  const replay = useLoad("accountGetReplay", { path: { ...path, id } }, every);
  // Read once more when the replay is over.
  const sent = useLoad("accountListDeliveries", { path, query: { replayId: id, limit: 50 } }, every);
  const finishedAt = replay.data?.finishedAt ?? null;
  useEffect(() => setIsOver(finishedAt !== null), [finishedAt]);
  const place = useRef<HTMLDivElement>(null);
  // The button of the request may be gone.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) place.current?.focus();
  }, []);
  const close = () => {
    const { replay: _replay, ...others } = Object.fromEntries(route.value.query);
    setQuery(others);
  };
  return (
    <div ref={place} tabIndex={-1} class="min-w-0 outline-none">
      <Card title={words.value.title} actions={<Button onPress={close}>{common.value.close}</Button>}>
        <Load from={replay} rows={1}>
          {(found) => (
            <div class="grid gap-1 p-4 text-sm">
              <p role="status">{progressText(found)}</p>
              {found.failures
                .filter(({ status }) => status === null)
                .map(({ deliveryId, receiverId, failure }) => (
                  <p key={`${deliveryId} ${receiverId}`} class="text-bad wrap-anywhere">
                    {words.value.notSent}: {failure} <code class="font-mono text-xs">{deliveryId}</code>
                  </p>
                ))}
            </div>
          )}
        </Load>
        <Load from={sent} rows={1}>
          {(page) => <NewDeliveries accountId={accountId} replayId={id} first={page} />}
        </Load>
      </Card>
    </div>
  );
}

function progressText({ finishedAt, total, delivered, failed }: Replay): string {
  if (finishedAt === null) return words.value.sending(delivered + failed, total);
  if (total === 0) return words.value.nothing;
  return failed === 0 ? words.value.delivered(delivered) : words.value.mixed(delivered, failed);
}

interface NewDeliveriesProps {
  readonly accountId: string;
  readonly replayId: string;
  readonly first: Sent;
}

function NewDeliveries({ accountId, replayId, first }: NewDeliveriesProps) {
  const { rows, ...more } = usePages(first, (cursor) =>
    ask("accountListDeliveries", { path: { account: accountId }, query: { replayId, cursor, limit: 50 } }),
  );
  return (
    <>
      <DeliveryTable accountId={accountId} rows={rows} empty={words.value.none} />
      <More {...more} />
    </>
  );
}
