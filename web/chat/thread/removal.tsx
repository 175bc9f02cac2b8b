import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Notice } from "../../kit/notice.tsx";
import type { Message } from "../model.ts";
import { problemOf } from "../problem.ts";
import { bubbleWords, dialogWords, words } from "../texts/texts.ts";
import { remove } from "./message-actions.ts";

interface RemovalProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Confirms the deletion of a message for the customer. */
export function Removal({ message, onClose }: RemovalProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const confirm = () => {
    setBusy(true);
    remove(message)
      .then(onClose, (error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(false));
  };
  const { removeTitle, removeHint } = dialogWords.value;
  return (
    <Dialog title={removeTitle} open onClose={onClose}>
      <div class="grid gap-4">
        <p>{removeHint}</p>
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
