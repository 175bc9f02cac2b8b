import { useState } from "preact/hooks";
import type { Operations } from "../kit/api/generated.ts";
import { Button } from "../kit/button.tsx";
import { dictionary } from "../kit/i18n.ts";
import { Badge, Notice } from "../kit/notice.tsx";
import { Card, Empty, Load, Table, Time } from "./parts.tsx";
import { ask, mayAct, useAct, useLoad } from "./state.ts";

type Result = Operations["testAlerts"]["output"][number];

const words = dictionary({
  en: {
    title: "Alerts",
    hint: "What the overview lists under “Needs attention” is also sent here, once it has lasted for ALERT_AFTER, and again when it is over. All changes within ALERT_EVERY are one notification.",
    none: "Nobody is told of problems yet. Set ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET, or ALERT_EMAIL_TO, ALERT_EMAIL_FROM and SMTP_URL, and restart the nodes.",
    target: "Target",
    webhook: "Webhook",
    email: "E-mail",
    address: "Address",
    sent: "Last notification",
    state: "State",
    works: "works",
    unused: "not used yet",
    test: "Send a test",
    arrived: (target: string) => `${target}: the test was accepted.`,
    failed: (target: string, failure: string) => `${target}: ${failure}`,
  },
  ru: {
    title: "Оповещения",
    hint: "То, что обзор показывает в разделе «Требует внимания», отправляется и сюда: когда длится дольше ALERT_AFTER и когда закончилось. Все изменения за ALERT_EVERY — одно сообщение.",
    none: "Пока никто не узнаёт о неполадках. Задайте ALERT_WEBHOOK_URL и ALERT_WEBHOOK_SECRET либо ALERT_EMAIL_TO, ALERT_EMAIL_FROM и SMTP_URL и перезапустите узлы.",
    target: "Куда",
    webhook: "Вебхук",
    email: "Почта",
    address: "Адрес",
    sent: "Последнее сообщение",
    state: "Состояние",
    works: "работает",
    unused: "ещё не использовалось",
    test: "Отправить пробное",
    arrived: (target: string) => `${target}: пробное сообщение принято.`,
    failed: (target: string, failure: string) => `${target}: ${failure}`,
  },
});

/** Where operators are told of problems, and a test of it. */
export function Alerts() {
  const targets = useLoad("listAlertTargets", {}, 10_000);
  const [results, setResults] = useState<readonly Result[]>([]);
  const { busy, problem, run } = useAct();
  const test = () => run(() => ask("testAlerts", { body: {} }).then(setResults));
  const canTest = mayAct.value && (targets.data?.length ?? 0) > 0;
  return (
    <Card
      title={words.value.title}
      actions={
        canTest && (
          <Button busy={busy} onPress={test}>
            {words.value.test}
          </Button>
        )
      }
    >
      <div class="grid gap-3 p-4">
        <p class="text-sm text-dim">{words.value.hint}</p>
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        {results.map(({ target, failure }) => (
          <Notice key={target} tone={failure === null ? "ok" : "bad"}>
            {failure === null
              ? words.value.arrived(words.value[target])
              : words.value.failed(words.value[target], failure)}
          </Notice>
        ))}
      </div>
      <Load from={targets} rows={2}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{words.value.none}</Empty>
          ) : (
            <Table
              label={words.value.title}
              rows={rows}
              keyOf={({ target }) => target}
              columns={[
                { title: words.value.target, cell: ({ target }) => words.value[target] },
                { title: words.value.address, cell: ({ address }) => address },
                { title: words.value.sent, cell: ({ sentAt }) => <Time at={sentAt} /> },
                {
                  title: words.value.state,
                  cell: ({ failure, triedAt }) => {
                    if (failure !== null) return <Badge tone="bad">{failure}</Badge>;
                    if (triedAt === null) return <Badge tone="neutral">{words.value.unused}</Badge>;
                    return <Badge tone="ok">{words.value.works}</Badge>;
                  },
                },
              ]}
            />
          )
        }
      </Load>
    </Card>
  );
}
