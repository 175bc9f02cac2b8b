import { useEffect, useRef, useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { LongText } from "../../kit/long-text.tsx";
import { Badge, Notice } from "../../kit/notice.tsx";
import { Card, Code, Empty, Search, Select, Time } from "../parts.tsx";
import { ask, hrefTo, messageOf } from "../state.ts";
import { commonWords as common, logWords as words } from "../texts/texts.ts";
import { Recording } from "./channel-recording.tsx";
import { linesAfter, PAGE } from "./log-lines.ts";

type Line = Operations["readChannelLog"]["output"][number];

const EVERY_MS = 2_000;

interface Path {
  readonly account: string;
  readonly channel: string;
}

/** New lines are loaded automatically while "live" is on; older ones on request. */
export function ChannelLog({ path }: { readonly path: Path }) {
  const [level, setLevel] = useState("");
  const [text, setText] = useState("");
  const [live, setLive] = useState(true);
  const { lines, problem, more, loadOlder } = useLog(path, { level, text }, live);
  return (
    <Card
      title={words.value.title}
      actions={
        <label class="flex min-h-6 items-center gap-2 text-sm">
          <input
            type="checkbox"
            class="h-5 w-5"
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          {common.value.live}
        </label>
      }
    >
      <div class="grid gap-3 p-4">
        <p class="text-sm text-dim">{words.value.hint}</p>
        <Recording path={path} />
        <div class="flex flex-wrap gap-3">
          <Search label={words.value.text} value={text} onSearch={setText} />
          <Select
            label={words.value.level}
            value={level}
            onChange={setLevel}
            options={[
              ["", common.value.all],
              ["warn", "warn"],
              ["info", "info"],
              ["debug", "debug"],
            ]}
          />
        </div>
        {problem !== undefined && <Notice tone="wait">{problem}</Notice>}
      </div>
      {lines?.length === 0 && <Empty>{words.value.empty}</Empty>}
      <ol>
        {lines?.map((line) => (
          <LogLine key={line.id} line={line} accountId={path.account} />
        ))}
      </ol>
      {more && (
        <p class="p-4">
          <Button onPress={loadOlder}>{common.value.more}</Button>
        </p>
      )}
    </Card>
  );
}

/** An entry of the log; with `accountId`, it leads to the message that it is about. */
export function LogLine({ line, accountId }: { readonly line: Line; readonly accountId?: string }) {
  return (
    <li class="grid gap-1 border-t border-line px-4 py-2 text-sm">
      <div class="flex flex-wrap items-center gap-2">
        <Time at={line.at} />
        <Badge tone={line.level === "warn" ? "bad" : "neutral"}>{line.level}</Badge>
        <span class="min-w-0">
          <LongText text={line.message}>{(piece) => piece}</LongText>
        </span>
        {accountId !== undefined && line.messageId !== null && (
          <a href={hrefTo(["messages", accountId, line.messageId])} class="inline-block leading-6">
            {words.value.message}
          </a>
        )}
      </div>
      {line.details !== null && (
        <details>
          <summary class="min-h-6 text-dim">{words.value.details}</summary>
          <Code label={words.value.details} text={JSON.stringify(line.details, null, 2)} />
        </details>
      )}
    </li>
  );
}

function useLog(path: Path, filter: { readonly level: string; readonly text: string }, live: boolean) {
  const [lines, setLines] = useState<readonly Line[]>();
  const [problem, setProblem] = useState<string>();
  const [more, setMore] = useState(false);
  /** Aborted when other lines are requested. */
  const shown = useRef<AbortSignal>(undefined);
  const { account, channel } = path;
  const { level, text } = filter;
  const read = (place: { after?: string; before?: string }, options: object = {}) =>
    ask(
      "readChannelLog",
      {
        path: { account, channel },
        query: { ...(level === "" ? {} : { level }), ...(text === "" ? {} : { text }), ...place },
      },
      options,
    );
  useEffect(() => {
    const stop = new AbortController();
    /** Id of the last line known, 0 if there is none; null: not loaded yet. */
    let last: number | null = null;
    let isLooking = false;
    shown.current = stop.signal;
    const look = async (): Promise<void> => {
      // A concurrent poll would load the same lines twice.
      if (isLooking) return;
      isLooking = true;
      try {
        const { signal } = stop;
        const background = last !== null;
        const added =
          last === null ? null : await linesAfter(last, (place) => read(place, { signal, background }));
        const found = added ?? (await read({ after: "0" }, { signal, background }));
        if (stop.signal.aborted) return;
        setProblem(undefined);
        const isFirst = added === null;
        if (isFirst) setMore(found.length === PAGE);
        setLines((before) => (isFirst ? found : [...found, ...(before ?? [])]));
        last = found[0]?.id ?? last ?? 0;
      } catch (error) {
        if (!stop.signal.aborted) setProblem(messageOf(error));
      } finally {
        isLooking = false;
      }
    };
    void look();
    const timer = live ? setInterval(() => void look(), EVERY_MS) : undefined;
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [account, channel, level, text, live]);
  const loadOlder = () => {
    const oldest = lines?.at(-1);
    const signal = shown.current;
    if (oldest === undefined || signal === undefined) return;
    read({ before: String(oldest.id) }, { signal })
      .then((found) => {
        if (signal.aborted) return;
        setMore(found.length === PAGE);
        setLines((now) => {
          const known = new Set(now?.map(({ id }) => id));
          return [...(now ?? []), ...found.filter(({ id }) => !known.has(id))];
        });
      })
      .catch((error: unknown) => !signal.aborted && setProblem(messageOf(error)));
  };
  return { lines, problem, more, loadOlder };
}
