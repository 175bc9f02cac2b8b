import { useEffect, useRef, useState } from "preact/hooks";
import { Drawing } from "../../kit/icon.tsx";
import { focusComposer } from "../composer/composer-focus.ts";
import type { WireMessage } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { writingWords } from "../texts/texts.ts";
import { finding } from "../thread/finding.ts";
import { jumpTo, type Thread } from "../thread/thread.ts";
import { markWords } from "./marked-words.ts";

const SHORTEST = 2;
const TYPING_MS = 250;
const PAGE = 50;
const [UP, DOWN, CLOSE] = ["M3 10l5-5 5 5", "M3 6l5 5 5-5", "M4 4l8 8M12 4l-8 8"];

interface Hits {
  /** Newest first. */
  readonly messages: readonly WireMessage[];
  /** Cursor to older ones; null: these are all. */
  readonly next: string | null;
}
const NONE: Hits = { messages: [], next: null };

/** Searches the open conversation: how many messages match, and the way from one to the next. */
export function FindBar({ thread }: { readonly thread: Thread }) {
  const [asked, setAsked] = useState("");
  const [hits, setHits] = useState<Hits | null>(null);
  const [at, setAt] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const searching = useRef(new AbortController());
  const texts = writingWords.value;
  const words = asked.trim();
  const load = async (before: string | null): Promise<Hits | null> => {
    const { signal } = searching.current;
    try {
      const query = { q: words, limit: PAGE, ...(before === null ? {} : { before }) };
      const { found, next } = await ask("searchChat", { path: { id: thread.chatId }, query }, signal);
      setProblem(null);
      return { messages: found.map(({ message }) => message), next };
    } catch (error) {
      if (!signal.aborted) setProblem(problemOf(error));
      return null;
    }
  };
  const show = (of: Hits, index: number) => {
    setAt(index);
    const hit = of.messages[index];
    if (hit !== undefined) void jumpTo(thread, hit.id);
  };
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    searching.current.abort();
    searching.current = new AbortController();
    setHits(null);
    setProblem(null);
    if (words.length < SHORTEST) return;
    const timer = setTimeout(async () => {
      const found = await load(null);
      if (found === null) return;
      setHits(found);
      show(found, 0);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      searching.current.abort();
    };
  }, [words]);
  useEffect(() => {
    const log = box.current?.parentElement?.querySelector<HTMLElement>("[role=log]");
    return words.length < SHORTEST || log == null ? undefined : markWords(log, words);
  }, [words]);
  const older = async () => {
    if (hits === null) return;
    if (at + 1 < hits.messages.length) return show(hits, at + 1);
    const more = hits.next === null ? null : await load(hits.next);
    if (more === null) return;
    const all = { messages: [...hits.messages, ...more.messages], next: more.next };
    setHits(all);
    if (more.messages.length > 0) show(all, at + 1);
  };
  const newer = () => {
    if (hits !== null && at > 0) show(hits, at - 1);
  };
  const { messages, next } = hits ?? NONE;
  const close = () => {
    finding.value = null;
    focusComposer();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element `search` is too new for some browsers
    <div
      ref={box}
      role="search"
      data-keeps-focus
      class="flex items-center gap-1 border-b border-line p-1 print:hidden"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <input
        ref={field}
        type="search"
        maxLength={200}
        class="h-10 min-w-0 flex-1 rounded-md border border-edge bg-bg px-3"
        aria-label={texts.searchHere}
        placeholder={texts.searchHere}
        value={asked}
        onInput={(event) => setAsked(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (event.shiftKey) newer();
          else void older();
        }}
      />
      <span
        role="status"
        class={`shrink-0 text-sm empty:hidden ${problem === null ? "text-dim" : "font-semibold text-bad"}`}
      >
        {problem ??
          (hits === null
            ? ""
            : messages.length === 0
              ? texts.noHits
              : texts.hit(at + 1, messages.length, next !== null))}
      </span>
      <Step
        icon={UP}
        label={texts.olderHit}
        isOff={at + 1 >= messages.length && next === null}
        onPress={() => void older()}
      />
      <Step icon={DOWN} label={texts.newerHit} isOff={at === 0} onPress={newer} />
      <Step icon={CLOSE} label={texts.closeSearch} isOff={false} onPress={close} />
    </div>
  );
}

interface StepProps {
  readonly icon: string;
  readonly label: string;
  readonly isOff: boolean;
  readonly onPress: () => void;
}

/** An inactive button keeps the focus. */
function Step({ icon, label, isOff, onPress }: StepProps) {
  return (
    <button
      type="button"
      class="grid h-10 w-10 shrink-0 place-items-center rounded-md hover:bg-pane aria-disabled:opacity-50"
      aria-label={label}
      title={label}
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) onPress();
      }}
    >
      <Drawing path={icon} size={16} />
    </button>
  );
}
