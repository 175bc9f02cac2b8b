import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Badge, Notice } from "../../kit/notice.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { Card, Confirm, Load, Time } from "../parts.tsx";
import { ask, mayAct, useAct, useLoad } from "../state.ts";
import { refusedWords as words } from "../texts/texts.ts";

const REASON_LENGTH = 1_000;

interface Path {
  readonly account: string;
  readonly channel: string;
}

/** Dead letters of the channel: with their reasons, to be replayed or removed. */
export function Refused({ path }: { readonly path: Path }) {
  const letters = useLoad("listRefusedReports", { path }, 5_000);
  const [removes, setRemoves] = useState(false);
  const { busy, problem, run } = useAct();
  const replay = () =>
    run(async () => {
      await ask("replayRefusedReports", { path });
      toast(words.value.replayed);
      letters.reload();
    });
  const hasSome = (letters.data?.length ?? 0) > 0;
  const canReplay = letters.data?.some(({ stage }) => stage !== "unknown") === true;
  return (
    <Card
      title={words.value.title}
      actions={
        mayAct.value &&
        hasSome && (
          <>
            {canReplay && (
              <Button busy={busy} onPress={replay}>
                {words.value.replay}
              </Button>
            )}
            <Button onPress={() => setRemoves(true)}>{words.value.remove}</Button>
          </>
        )
      }
    >
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Load from={letters} empty={words.value.empty}>
        {(rows) => (
          <ul class="max-h-80 overflow-auto text-sm">
            {rows.map((letter) => (
              <li key={letter.id} class="grid gap-1 border-b border-line px-4 py-2 last:border-0">
                <span class="break-words">{beginning(letter.reason, REASON_LENGTH)}</span>
                <span class="flex flex-wrap items-center gap-2 text-dim">
                  <Time at={letter.lastAt} />
                  {words.value.times(letter.times)} · {words.value.bytes(letter.bytes)}
                  {letter.stage === "unknown" && <Badge tone="neutral">{words.value.unknown}</Badge>}
                  {letter.waits && <Badge tone="wait">{words.value.waits}</Badge>}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Load>
      <Confirm
        title={`${words.value.remove}: ${words.value.title}`}
        text={words.value.removeText}
        action={words.value.remove}
        open={removes}
        onClose={() => setRemoves(false)}
        onConfirm={async () => {
          await ask("removeRefusedReports", { path });
          letters.reload();
        }}
      />
    </Card>
  );
}
