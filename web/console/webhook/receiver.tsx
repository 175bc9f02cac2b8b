import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Badge, Notice } from "../../kit/notice.tsx";
import { durationText } from "../format.ts";
import { Confirm } from "../parts.tsx";
import { ask, useAct } from "../state.ts";
import { commonWords as common, receiverWords as words } from "../texts/texts.ts";

type Receiver = Operations["listConsoleReceivers"]["output"][number];
type TestResult = Operations["accountTestReceiver"]["output"][number];

/** Test, pause and resume. */
export function ReceiverActions({
  receiver,
  onChange,
}: {
  readonly receiver: Receiver;
  readonly onChange: () => void;
}) {
  const [results, setResults] = useState<readonly TestResult[]>();
  const [pauses, setPauses] = useState(false);
  const { busy, problem, run } = useAct();
  const input = {
    path: { account: String(receiver.accountId) },
    query: { receiverId: receiver.id },
    body: {},
  };
  return (
    <span class="flex flex-wrap gap-2">
      <Button
        busy={busy}
        onPress={() => run(() => ask("accountTestReceiver", input).then(setResults).finally(onChange))}
      >
        {words.value.test}
      </Button>
      {receiver.state === "paused" ? (
        <Button
          look="primary"
          busy={busy}
          onPress={() => run(() => ask("accountResumeReceiver", input).then(onChange))}
        >
          {words.value.resume}
        </Button>
      ) : (
        <Button onPress={() => setPauses(true)}>{words.value.pause}</Button>
      )}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Confirm
        title={words.value.pause}
        text={words.value.pauseText}
        action={words.value.pause}
        open={pauses}
        onClose={() => setPauses(false)}
        onConfirm={() => ask("accountPauseReceiver", input).then(onChange)}
      />
      <Dialog title={words.value.test} open={results !== undefined} onClose={() => setResults(undefined)}>
        <div class="grid gap-3">
          <p class="text-sm text-dim">
            {results?.length === 0 ? words.value.testEmpty : words.value.testHint}
          </p>
          <ul class="grid gap-2 text-sm">
            {results?.map((result) => (
              <li key={result.kind} class="flex flex-wrap items-center gap-2">
                <Badge tone={result.ok ? "ok" : "bad"}>
                  {result.ok ? words.value.taken : words.value.refused}
                </Badge>
                <span class="min-w-0 flex-1">{result.kind}</span>
                <span class="text-dim">
                  {result.status ?? result.failure} · {durationText(result.durationMs)}
                </span>
              </li>
            ))}
          </ul>
          <div class="flex justify-end">
            <Button onPress={() => setResults(undefined)}>{common.value.close}</Button>
          </div>
        </div>
      </Dialog>
    </span>
  );
}
