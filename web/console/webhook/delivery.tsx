import { durationText, exactTimeText } from "../format.ts";
import { AccountName, Card, Code, Copy, Facts, Load, View } from "../parts.tsx";
import { hrefTo, mayAct, useLoad } from "../state.ts";
import { commonWords as common, webhooksWords as webhooks, deliveryWords as words } from "../texts/texts.ts";
import { DeliveryResult, DeliveryTable, useReceiverNames } from "./delivery-table.tsx";
import { ReplayButton } from "./replay.tsx";
import { ReplayProgress } from "./replay-progress.tsx";

/** One request of the log: request and response side by side. */
export function DeliveryView({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const delivery = useLoad("accountGetDelivery", { path: { account: accountId, id } });
  const { data } = delivery;
  const names = useReceiverNames(accountId);
  const event = data?.eventIds[0];
  const again = useLoad(
    "accountListDeliveries",
    data === undefined || event === undefined
      ? null
      : { path: { account: accountId }, query: { eventId: event, receiverId: data.receiverId, limit: 20 } },
    5_000,
  );
  return (
    <View
      title={words.value.title}
      back={{ href: hrefTo(["webhooks", accountId]), text: webhooks.value.deliveries }}
      actions={
        data !== undefined &&
        mayAct.value &&
        data.purpose !== "test" && <ReplayButton accountId={accountId} ids={[data.id]} />
      }
    >
      <ReplayProgress accountId={accountId} />
      <Load from={delivery}>
        {(found) => (
          <>
            <Card title={webhooks.value.result}>
              <Facts
                facts={[
                  [common.value.status, <DeliveryResult key="result" delivery={found} />],
                  [webhooks.value.answer, found.status ?? found.failure ?? "–"],
                  ...(found.failure === null || found.status === null
                    ? []
                    : ([["", found.failure]] as const)),
                  [
                    common.value.at,
                    <time key="at" dateTime={found.at}>
                      {exactTimeText(found.at)}
                    </time>,
                  ],
                  [
                    webhooks.value.receiver,
                    <a key="receiver" href={hrefTo(["webhooks", accountId], { receiver: found.receiverId })}>
                      {names?.get(found.receiverId) ?? webhooks.value.receiverGone}
                    </a>,
                  ],
                  [common.value.account, <AccountName key="account" id={Number(accountId)} />],
                  [webhooks.value.took, durationText(found.durationMs)],
                  [webhooks.value.events, `${found.items} · ${found.kinds.join(", ")}`],
                  [
                    words.value.id,
                    <code key="id" class="font-mono text-xs">
                      {found.deliveryId}
                    </code>,
                  ],
                ]}
              />
            </Card>
            {event !== undefined && (
              <Card title={words.value.again}>
                <Load from={again} rows={1}>
                  {(others) => (
                    <DeliveryTable
                      accountId={accountId}
                      rows={others.data.filter((other) => other.id !== found.id)}
                      empty={words.value.againEmpty}
                    />
                  )}
                </Load>
              </Card>
            )}
            <div class="grid min-w-0 gap-4 lg:grid-cols-2">
              <Side
                title={words.value.request}
                headers={found.sentHeaders}
                body={found.body}
                without={words.value.noBody}
              />
              <Side
                title={words.value.answer}
                headers={found.receivedHeaders}
                body={found.answer}
                without={found.status === null ? words.value.noAnswer : words.value.emptyAnswer}
              />
            </div>
          </>
        )}
      </Load>
    </View>
  );
}

interface SideProps {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
  readonly without: string;
}

function Side({ title, headers, body, without }: SideProps) {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const text = body === null ? "" : pretty(body);
  return (
    <Card title={title} actions={text !== "" && <Copy text={body ?? ""} />}>
      <div class="grid gap-3 p-4">
        {lines.length > 0 && <Code label={`${title}: ${words.value.headers}`} text={lines.join("\n")} />}
        {text === "" ? (
          <p class="text-sm text-dim">{without}</p>
        ) : (
          <Code label={`${title}: ${words.value.body}`} text={text} />
        )}
      </div>
    </Card>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
