import { newId } from "../../../platform/ids.ts";
import type { AvitoLink } from "../linking/tokens.ts";

/**
 * Notes in the channel's state when a session began to send into a chat. Avito does not say which of the account's own
 * messages came from here. A session knows its own; the one after it, on this node or another, has to wait until the
 * outcome of an earlier session's last send can be stored.
 */
export interface SendingMarks {
  /** Call before each send. */
  set(chatId: string): Promise<void>;
  /** Whether an earlier session began to send into the chat less than `holdMs` ago. */
  isHeld(chatId: string): Promise<boolean>;
}

const keyOf = (chatId: string): string => `sending:${chatId}`;

export function createSendingMarks(
  { state }: Pick<AvitoLink, "state">,
  { holdMs }: { readonly holdMs: number },
): SendingMarks {
  const session = newId();
  return {
    set: (chatId) => state.set(keyOf(chatId), `${session} ${Date.now()}`),
    async isHeld(chatId) {
      const [by, at] = ((await state.get(keyOf(chatId))) ?? "").split(" ");
      return by !== session && Date.now() - Number(at ?? 0) < holdMs;
    },
  };
}
