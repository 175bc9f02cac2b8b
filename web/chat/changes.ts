import { toast } from "../kit/toast.tsx";
import { takeAnswer } from "./answer.ts";
import type { Message } from "./model.ts";
import { problemOf } from "./problem.ts";
import { ask } from "./session.ts";
import { bubbleWords } from "./texts/texts.ts";
import { takeMessage } from "./thread.ts";

/** Sends a failed message once more; the failed one stays where it is. */
export function resend(message: Message): void {
  void ask("resendMessage", { path: { id: message.id }, body: { id: crypto.randomUUID() } }).then(
    ({ message: fresh, chat }) => {
      takeAnswer(fresh, chat);
    },
    complain,
  );
}

export async function editText(message: Message, text: string): Promise<void> {
  takeMessage(await ask("editChatMessage", { path: { id: message.id }, body: { text } }));
}

export async function remove(message: Message): Promise<void> {
  takeMessage(await ask("deleteChatMessage", { path: { id: message.id } }));
}

/** Frames of other sites may not write to the clipboard by its interface; what is selected can be copied everywhere. */
export function copyText({ text }: Message): void {
  const holder = document.createElement("textarea");
  holder.value = text;
  holder.className = "sr-only";
  document.body.append(holder);
  holder.select();
  document.execCommand("copy");
  holder.remove();
  toast(bubbleWords.value.copied);
}

function complain(error: unknown): void {
  toast(problemOf(error));
}

/** Whether the text of a message may be changed now. */
export function canEdit({ wire, isDeleted }: Message): boolean {
  return !isDeleted && wire.can_edit_until !== null && wire.can_edit_until > new Date().toISOString();
}
