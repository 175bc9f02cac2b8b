import { Button } from "../../kit/button.tsx";
import { dictionary } from "../../kit/i18n.ts";
import { Notice } from "../../kit/notice.tsx";
import { Time } from "../parts.tsx";
import { ask, mayAct, messageOf, useAct, useLoad } from "../state.ts";

const words = dictionary({
  en: {
    start: "Record every exchange",
    hint: "For 15 minutes, successful requests appear too: method, address, status and duration, never a message text. At most 2,000.",
    until: "Every exchange is recorded until",
    end: "Stop recording",
  },
  ru: {
    start: "Записывать каждый обмен",
    hint: "15 минут видны и успешные запросы: метод, адрес, статус и длительность, без текстов сообщений. Не больше 2000.",
    until: "Каждый обмен записывается до",
    end: "Остановить запись",
  },
});

interface Path {
  readonly account: string;
  readonly channel: string;
}

/** Switches the recording of all exchanges of a channel on and off. */
export function Recording({ path }: { readonly path: Path }) {
  const recording = useLoad("getRecording", { path }, 10_000);
  const { busy, problem, run } = useAct();
  const { data, error } = recording;
  if (data === undefined) return error === undefined ? null : <Notice tone="wait">{messageOf(error)}</Notice>;
  const act = (operation: "startRecording" | "endRecording") =>
    run(() => ask(operation, { path }).then(recording.reload));
  return (
    <div class="flex flex-wrap items-center gap-3 text-sm">
      {data.until !== null && (
        <p>
          {words.value.until} <Time at={data.until} />
        </p>
      )}
      {mayAct.value && (
        <Button busy={busy} onPress={() => act(data.until === null ? "startRecording" : "endRecording")}>
          {data.until === null ? words.value.start : words.value.end}
        </Button>
      )}
      {mayAct.value && data.until === null && (
        <p class="min-w-0 flex-1 basis-60 text-dim">{words.value.hint}</p>
      )}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </div>
  );
}
