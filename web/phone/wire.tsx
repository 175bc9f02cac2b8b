import { useState } from "preact/hooks";
import type { Frame } from "../../sandbox/phone/shape.ts";
import { Button } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { Icon } from "../kit/icon.tsx";
import { Badge, Notice } from "../kit/notice.tsx";
import { isLive } from "./live.ts";
import { frames, lastAct } from "./state.ts";
import { words } from "./texts/texts.ts";
import { Troubles } from "./troubles.tsx";

const SHOWN = 120;

/** The messenger's traffic, newest first, and its troubles. */
export function Wire() {
  const [filter, setFilter] = useState("");
  const [routine, setRoutine] = useState(false);
  const [held, setHeld] = useState<readonly Frame[] | null>(null);
  const { wire, noFrames, filter: filterLabel, pause, resume, liveLost } = words.value;
  const { showRoutine, routineHidden } = words.value;
  const seen = held ?? [...frames.value.values()].toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const all = routine ? seen : seen.filter((frame) => !frame.routine);
  const hidden = seen.length - all.length;
  const wanted =
    filter === ""
      ? all
      : all.filter((frame) => JSON.stringify(frame).toLowerCase().includes(filter.toLowerCase()));
  const groups = grouped(wanted).slice(-SHOWN).reverse();
  return (
    <div class="grid content-start gap-5 p-4">
      <Troubles />
      <LastAct />
      <section class="grid gap-2" aria-labelledby="wire">
        <div class="flex items-center gap-2">
          <h2 id="wire" class="flex-1 font-semibold">
            {wire}
          </h2>
          <Button onPress={() => setHeld(held === null ? seen : null)}>
            {held === null ? pause : resume}
          </Button>
        </div>
        {!isLive.value && <Notice tone="wait">{liveLost}</Notice>}
        <input
          type="search"
          aria-label={filterLabel}
          placeholder={filterLabel}
          class="min-h-10 rounded-md border border-edge bg-bg px-3"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <label class="flex min-h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            class="h-4 w-4 shrink-0"
            checked={routine}
            onChange={(event) => setRoutine(event.currentTarget.checked)}
          />
          <span class="flex-1">{showRoutine}</span>
          {hidden > 0 && <span class="text-xs text-dim">{routineHidden(hidden)}</span>}
        </label>
        {groups.length === 0 && <p class="py-4 text-sm text-dim">{noFrames}</p>}
        <ol class="grid gap-1" aria-label={wire}>
          {groups.map(({ frame, count }) => (
            <FrameRow key={frame.id} frame={frame} count={count} />
          ))}
        </ol>
      </section>
    </div>
  );
}

interface Group {
  readonly frame: Frame;
  readonly count: number;
}

/** Repetitions, such as polls without a result, are one row: the last of them. */
function grouped(items: readonly Frame[]): readonly Group[] {
  const rows: Group[] = [];
  for (const frame of items) {
    const last = rows.at(-1);
    const isSame = last !== undefined && sameness(last.frame) === sameness(frame);
    if (isSame) rows[rows.length - 1] = { frame, count: last.count + 1 };
    else rows.push({ frame, count: 1 });
  }
  return rows;
}

function sameness({ from, title, result, body }: Frame): string {
  const { at: _, frame_seq: __, ...rest } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([from, title, result, rest]);
}

/** A row shows only the number of a result; the text is in the body. */
function shortly(result: string): string {
  return /^\d+/.exec(result)?.[0] ?? (result.length > 20 ? `${result.slice(0, 19)}…` : result);
}

function FrameRow({ frame, count }: Group) {
  const [open, setOpen] = useState(false);
  const { fromGateway, fromMessenger, fromNote, times } = words.value;
  const from = { gateway: fromGateway, messenger: fromMessenger, note: fromNote }[frame.from];
  const arrow = { gateway: "→", messenger: "←", note: "·" }[frame.from];
  return (
    <li class="min-w-0">
      <details
        class="rounded-md border border-line bg-bg open:bg-pane"
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary class="flex min-h-9 items-center gap-2 px-2 py-1 text-sm">
          <span class="w-4 shrink-0 text-center font-mono" role="img" aria-label={from}>
            {arrow}
          </span>
          <span class="min-w-0 flex-1 truncate font-mono">{frame.title}</span>
          {count > 1 && <span class="shrink-0 text-xs text-dim">{times(count)}</span>}
          {frame.result !== "" && (
            <Badge tone={frame.failed ? "bad" : "neutral"}>{shortly(frame.result)}</Badge>
          )}
        </summary>
        {open && (
          <pre class="overflow-x-auto px-2 pb-2 font-mono text-xs whitespace-pre-wrap">
            {frame.at === null ? "" : `${new Date(frame.at).toLocaleTimeString()}\n`}
            {JSON.stringify(frame.body, null, 2)}
          </pre>
        )}
      </details>
    </li>
  );
}

function LastAct() {
  const { lastAct: heading, copy, copied } = words.value;
  const line = lastAct.value;
  if (line === null) return null;
  return (
    <section class="grid gap-2" aria-labelledby="act">
      <div class="flex items-center gap-2">
        <h2 id="act" class="flex-1 font-semibold">
          {heading}
        </h2>
        <Button onPress={() => copyText(line, copied)}>
          <Icon name="copy" />
          {copy}
        </Button>
      </div>
      <code class="rounded-md bg-pane px-2 py-1.5 font-mono text-xs break-all">{line}</code>
    </section>
  );
}
