import { Button } from "../../kit/button.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Time } from "../parts.tsx";
import { ask, mayAct, messageOf, useAct, useLoad } from "../state.ts";
import { recordingWords as words } from "../texts/texts.ts";

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
