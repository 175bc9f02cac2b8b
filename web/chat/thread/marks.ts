import type { Abilities } from "../model.ts";
import { unshown } from "../navigation.ts";
import type { Thread } from "./thread.ts";

/** Shows the people of the chat that their messages were read, once for what was unread. */
export function tellRead(thread: Thread): void {
  if (can(thread, "read") && unshown.delete(thread.chatId)) show(thread, "read");
}

/** Shows the people of the chat that the employee is typing. Call it with each change of the text. */
export function tellTyping(thread: Thread | null): void {
  if (thread !== null && can(thread, "typing")) show(thread, "typing");
}

type Mark = Abilities["marks"][number];

function can({ abilities }: Thread, mark: Mark): boolean {
  return abilities.value?.marks.includes(mark) === true;
}

/** What cannot be shown does not matter to the employee. */
function show({ chatId }: Thread, mark: Mark): void {
  import("./show-mark.ts").then(({ showMark }) => showMark(chatId, mark)).catch(() => undefined);
}
