import { dictionary } from "../../kit/i18n.ts";
import { durationText } from "../format.ts";
import { Card, Code, Copy, Facts, Load, Time, View } from "../parts.tsx";
import { hrefTo, mayAct, useLoad } from "../state.ts";
import { words as common } from "../words.ts";
import { ReplayButton } from "./replay.tsx";
import { DeliveryResult, words as webhooks } from "./webhooks.tsx";

const words = dictionary({
  en: {
    title: "Delivery",
    request: "Request",
    answer: "Response",
    headers: "Headers",
    body: "Body",
    noBody: "Not available: this was a test, or its events have expired.",
    noAnswer: "No response.",
    emptyAnswer: "The response had no body.",
    id: "webhook-id",
  },
  ru: {
    title: "Запрос к получателю",
    request: "Запрос",
    answer: "Ответ",
    headers: "Заголовки",
    body: "Тело",
    noBody: "Это проверка, или события уже забыты.",
    noAnswer: "Ответа не было.",
    emptyAnswer: "Ответ был без тела.",
    id: "webhook-id",
  },
});

/** One request of the log: request and response side by side. */
export function DeliveryView({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  const delivery = useLoad("accountGetDelivery", { path: { account: accountId, id } });
  const { data } = delivery;
  return (
    <View
      title={words.value.title}
      back={{ href: hrefTo(["webhooks", accountId]), text: webhooks.value.deliveries }}
      actions={
        data !== undefined &&
        mayAct.value &&
        data.purpose !== "test" && (
          <ReplayButton accountId={accountId} ids={[data.id]} onDone={delivery.reload} />
        )
      }
    >
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
                  [common.value.at, <Time key="at" at={found.at} />],
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
