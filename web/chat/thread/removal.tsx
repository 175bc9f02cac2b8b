import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Notice } from "../../kit/notice.tsx";
import { problemOf } from "../problem.ts";
import { bubbleWords, words } from "../texts/texts.ts";

interface RemovalProps {
  readonly title: string;
  /** What is lost, and for whom. */
  readonly hint: string;
  readonly remove: () => Promise<void>;
  readonly onClose: () => void;
}

/** Confirms the deletion of a message or an internal note. */
export function Removal({ title, hint, remove, onClose }: RemovalProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const confirm = () => {
    setBusy(true);
    remove()
      .then(onClose, (error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} open onClose={onClose}>
      <div class="grid gap-4">
        <p>{hint}</p>
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
        <div class="flex justify-end gap-2">
          <Button onPress={onClose}>{words.value.cancel}</Button>
          <Button look="danger" busy={isBusy} onPress={confirm}>
            {bubbleWords.value.remove}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
