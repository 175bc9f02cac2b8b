import { useState } from "preact/hooks";
import type { Operations } from "../kit/api/generated.ts";
import { Button } from "../kit/button.tsx";
import { Badge, Notice } from "../kit/notice.tsx";
import { Card, Empty, Load, Table, Time } from "./parts.tsx";
import { ask, mayAct, useAct, useLoad } from "./state.ts";
import { alertsWords as words } from "./texts/texts.ts";

type Result = Operations["testAlerts"]["output"][number];

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
