import { useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/notice.tsx";
import { messageOf } from "./state.ts";
import { words } from "./words.ts";

interface Page<Row> {
  readonly data: readonly Row[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
}

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
  const [older, setOlder] = useState<Page<Row>>();
  const [problem, setProblem] = useState<string>();
  const cursor = older === undefined ? first.next : older.next;
  const known = new Set(first.data.map(({ id }) => id));
  const loadMore = (from: string) => {
    setProblem(undefined);
    load(from)
      .then((page) =>
        // Two clicks may load the same page twice.
        setOlder((now) =>
          (now === undefined ? first.next : now.next) === from
            ? { data: [...(now?.data ?? []), ...page.data], next: page.next }
            : now,
        ),
      )
      .catch((error: unknown) => setProblem(messageOf(error)));
  };
  return {
    rows: [...first.data, ...(older?.data ?? []).filter(({ id }) => !known.has(id))],
    problem,
    loadMore: cursor === null ? null : () => loadMore(cursor),
  };
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
