import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { dictionary, pluralEn } from "../../kit/i18n.ts";
import { Badge, Notice } from "../../kit/notice.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { Card, Confirm, Load, Time } from "../parts.tsx";
import { ask, mayAct, useAct, useLoad } from "../state.ts";

const words = dictionary({
  en: {
    title: "Refused reports",
    empty: "Every report of the messenger could be read and stored.",
    replay: "Process again",
    remove: "Remove",
    removeText: "The reports are deleted: what the messenger said in them is lost.",
    waits: "waits for its turn",
    unknown: "a sample of something unknown",
    replayed: "The reports are processed again; those that succeed disappear from the list.",
    times: (count: number) => pluralEn(count, { one: "once", other: `${count} times` }),
    bytes: (count: number) => `${count} bytes`,
  },
  ru: {
    title: "Непринятые сообщения мессенджера",
    empty: "Всё, что сообщил мессенджер, прочитано и сохранено.",
    replay: "Обработать снова",
    remove: "Удалить",
    removeText: "Записи будут удалены: то, что в них сообщил мессенджер, пропадёт.",
    waits: "ждёт обработки",
    unknown: "образец неизвестного",
    replayed: "Записи обрабатываются снова; удачные исчезнут из списка.",
    times: (count: number) => `раз: ${count}`,
    bytes: (count: number) => `байт: ${count}`,
  },
});

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
