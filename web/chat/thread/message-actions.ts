import { toast } from "../../kit/toast.tsx";
import { newUuid } from "../../kit/uuid.ts";
import { takeAnswer } from "../composer/answer.ts";
import { draftOf, intentOf, keepDraft, setIntent, unsaved } from "../composer/compose.ts";
import type { Message, WireMessage } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { messageNow, takeMessage } from "./thread.ts";

// Functions that only lazily loaded parts of the page use.

/** A failed message's copy: the id under which it is sent, and the message once the service has answered. */
interface Copy {
  readonly clientId: string;
  sent: WireMessage | null;
}
const copies = new Map<string, Copy>();

/**
 * Sends a failed message again; the failed one stays. The service accepts an id once, so that a second press, or one
 * after a lost response, sends nothing.
 */
export function resend(message: Message): void {
  const copy = copyOf(message.id);
  void ask("resendMessage", { path: { id: message.id }, body: { id: copy.clientId } }).then(
    ({ message: fresh, chat }) => {
      copy.sent = fresh;
      takeAnswer(fresh, chat);
    },
    complain,
  );
}

/** The copy that was begun; a new one after that one has failed too. */
function copyOf(failedId: string): Copy {
  const begun = copies.get(failedId);
  if (begun !== undefined && !hasFailed(begun)) return begun;
  const copy = { clientId: newUuid(), sent: null };
  copies.set(failedId, copy);
  return copy;
}

function hasFailed({ sent }: Copy): boolean {
  return sent !== null && (messageNow(sent) ?? sent).status === "error";
}

/** Stores an edit, whose text stays the message's draft until it is stored. */
export async function saveChange(place: string, message: Message, text: string): Promise<void> {
  const { wire, id } = message;
  const others = () => unsaved.value.filter((each) => each.message.id !== id);
  unsaved.value = others();
  try {
    await settle(wire, ask("editChatMessage", { path: { id }, body: { text: text.trim() } }));
    // Unless it was edited further in the meantime.
    if (draftOf(id) === text) keepDraft(id, "");
  } catch (error) {
    unsaved.value = [...others(), { message, problem: problemOf(error) }];
    // Does not interrupt what the agent has started in the meantime.
    if (intentOf(place) === null && draftOf(place) === "") setIntent(place, { kind: "edit", message });
  }
}

export async function remove({ wire }: Message): Promise<void> {
  await settle(wire, ask("deleteChatMessage", { path: { id: wire.id } }));
}

/** Null: our reaction is removed. */
export function react({ wire }: Message, emoji: string | null): void {
  const path = { id: wire.id };
  const answer =
    emoji === null
      ? ask("removeChatReaction", { path })
      : ask("reactToChatMessage", { path, body: { emoji } });
  settle(wire, answer).catch(complain);
}

/** The stream reports the same change: what it has brought meanwhile may be newer, and is kept. */
async function settle(wire: WireMessage, answer: Promise<WireMessage>): Promise<void> {
  const before = messageNow(wire);
  const changed = await answer;
  if (messageNow(wire) === before) takeMessage(changed);
}

function complain(error: unknown): void {
  toast(problemOf(error));
}
