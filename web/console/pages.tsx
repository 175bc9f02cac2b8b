import { useRef, useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/notice.tsx";
import { joinPages, type Page } from "./join-pages.ts";
import { messageOf } from "./state.ts";
import { commonWords as words } from "./texts/texts.ts";

interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly problem: string | undefined;
  /** Null if there are no more. */
  readonly loadMore: (() => void) | null;
}

/** The rows of a list: the first page, which is reloaded, and older ones that were loaded on request. */
export function usePages<Row extends { readonly id: string | number }>(
  first: Page<Row>,
  load: (cursor: string) => Promise<Page<Row>>,
): Pages<Row> {
  /** All loaded rows, once older ones were requested. */
  const all = useRef<Page<Row>>(undefined);
  const [problem, setProblem] = useState<string>();
  const [, redraw] = useState({});
  if (all.current !== undefined) all.current = joinPages(first, all.current);
  const { data: rows, next } = all.current ?? first;
  const loadMore = (from: string) => {
    setProblem(undefined);
    all.current ??= first;
    load(from)
      .then((page) => {
        const now = all.current;
        // Two clicks may load the same page twice.
        if (now?.next !== from) return;
        all.current = { data: [...now.data, ...page.data], next: page.next };
        redraw({});
      })
      .catch((error: unknown) => setProblem(messageOf(error)));
  };
  return { rows, problem, loadMore: next === null ? null : () => loadMore(next) };
}

/** Below the rows: loads the next page. */
export function More({ problem, loadMore }: Pick<Pages<unknown>, "problem" | "loadMore">) {
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {loadMore !== null && (
        <p class="p-4">
          <Button onPress={loadMore}>{words.value.more}</Button>
        </p>
      )}
    </>
  );
}
