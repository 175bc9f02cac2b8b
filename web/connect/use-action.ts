import { useState } from "preact/hooks";
import { problemOf } from "./problem.ts";

/** Runs one request at a time and keeps the error of the last one. */
export function useAction(): {
  readonly busy: boolean;
  readonly problem: string | undefined;
  readonly run: (work: () => Promise<unknown>, explain?: (error: unknown) => string | undefined) => void;
  readonly complain: (problem: string | undefined) => void;
} {
  const [busy, setBusy] = useState(false);
  const [problem, complain] = useState<string>();
  return {
    busy,
    problem,
    complain,
    run(work, explain) {
      setBusy(true);
      complain(undefined);
      work()
        .catch((error: unknown) => complain(explain?.(error) ?? problemOf(error)))
        .finally(() => setBusy(false));
    },
  };
}
