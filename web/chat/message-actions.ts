import { toast } from "../kit/toast.tsx";
import { takeAnswer } from "./answer.ts";
import { draftOf, intentOf, keepDraft, setIntent, unsaved } from "./compose.ts";
import type { Message, WireMessage } from "./model.ts";
import { problemOf } from "./problem.ts";
import { ask } from "./session.ts";
import { bubbleWords } from "./texts/texts.ts";
import { messageNow, takeMessage } from "./thread.ts";

// What only parts of the page do that are loaded later.

/** Sends a failed message once more; the failed one stays where it is. */
export function resend(message: Message): void {
  void ask("resendMessage", { path: { id: message.id }, body: { id: crypto.randomUUID() } }).then(
    ({ message: fresh, chat }) => {
      takeAnswer(fresh, chat);
    },
    complain,
  );
}

/** Stores a change, whose text stays the draft of the message until that is done. */
export async function saveChange(place: string, message: Message, text: string): Promise<void> {
  const { wire, id } = message;
  const others = () => unsaved.value.filter((each) => each.message.id !== id);
  unsaved.value = others();
  try {
    await settle(wire, ask("editChatMessage", { path: { id }, body: { text: text.trim() } }));
    // Unless it was changed further in the meantime.
    if (draftOf(id) === text) keepDraft(id, "");
  } catch (error) {
    unsaved.value = [...others(), { message, problem: problemOf(error) }];
    // What was begun in the meantime is not taken out of the agent's hands.
    if (intentOf(place) === null && draftOf(place) === "") setIntent(place, { kind: "edit", message });
  }
}

export async function remove({ wire }: Message): Promise<void> {
  await settle(wire, ask("deleteChatMessage", { path: { id: wire.id } }));
}

/** The stream tells of the same change: what it has brought while the request was on its way may be newer, and stays. */
async function settle(wire: WireMessage, answer: Promise<WireMessage>): Promise<void> {
  const before = messageNow(wire);
  const changed = await answer;
  if (messageNow(wire) === before) takeMessage(changed);
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
