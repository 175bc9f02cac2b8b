import { useState } from "preact/hooks";
import { toast } from "../kit/toast.tsx";
import { Refused } from "./api.ts";
import { words } from "./texts/texts.ts";

/** Runs one request at a time; a refusal of the sandbox is shown as a toast, with its own text. */
export function useWork(): { readonly busy: boolean; readonly run: (work: () => Promise<unknown>) => void } {
  const [busy, setBusy] = useState(false);
  return {
    busy,
    run(work) {
      if (busy) return;
      setBusy(true);
      work()
        .catch(complain)
        .finally(() => setBusy(false));
    },
  };
}

export function complain(error: unknown): void {
  toast(error instanceof Refused ? error.message : words.value.failed);
}
