import { computed, signal } from "@preact/signals";
import type { Message } from "../model.ts";
import { abilitiesIn } from "./thread.ts";

/** The message whose actions are open, and the button that opened them. */
export const opened = signal<{ readonly message: Message; readonly button: HTMLElement } | null>(null);

/** Whether the menu was ever opened: it is loaded then. */
export const usesActions = computed(() => everOpened || opened.value !== null);
let everOpened = false;

/** Opens the actions of a message at the pressed button. */
export function openActions(message: Message, button: HTMLElement): void {
  everOpened = true;
  opened.value = { message, button };
}

/** Whether a message has any actions. */
export function hasActions(message: Message): boolean {
  const { can_resend: canResend, can_delete: canDelete, can_react: canReact } = message.wire;
  return (
    canReact ||
    message.wire.file !== null ||
    message.text !== "" ||
    canResend ||
    canDelete ||
    canQuote(message) ||
    canEdit(message)
  );
}

/** Whether the text of a message may be edited now. */
export function canEdit({ wire, isDeleted }: Message): boolean {
  return !isDeleted && wire.can_edit_until !== null && wire.can_edit_until > new Date().toISOString();
}

export function canQuote({ wire, isDeleted }: Message): boolean {
  const abilities = abilitiesIn(wire.chat_id);
  return abilities?.quote === true && abilities.can_send && !isDeleted && wire.status !== "error";
}
