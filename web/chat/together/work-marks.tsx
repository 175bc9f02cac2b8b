import { initialsOf } from "../../kit/avatar.tsx";
import { Icon } from "../../kit/icon.tsx";
import { beginning } from "../../kit/pieces.ts";
import type { Chat } from "../model.ts";
import { proposalWords, togetherWords } from "../texts/texts.ts";
import { Tack } from "./tack.tsx";
import { untilTime } from "./until-time.ts";

/** In a row of the list: who works on the chat, and what the employee has marked. */
export function WorkMarks({ chat }: { readonly chat: Chat }) {
  const { pinned, assignedTo, someone, markedUnread, snoozedUntil } = togetherWords.value;
  const { assignee, pinned_at: pinnedAt, snoozed_until: until, proposed_until: proposedUntil } = chat;
  const { title: proposed } = proposalWords.value;
  const assigned = assignee === null ? "" : assignedTo(beginning(assignee.name ?? someone));
  const snoozed = until === null ? "" : snoozedUntil(untilTime(Date.parse(until)));
  return (
    <span class="flex shrink-0 items-center gap-1.5 text-xs text-dim">
      {Date.parse(proposedUntil ?? "") > Date.now() && (
        <span class="text-wait" title={proposed}>
          <Icon name="template" size={12} />
          <span class="sr-only">{proposed}</span>
        </span>
      )}
      {until !== null && (
        <span title={snoozed}>
          <Icon name="clock" size={12} />
          <span class="sr-only">{snoozed}</span>
        </span>
      )}
      {pinnedAt !== null && (
        <span title={pinned}>
          <Tack />
          <span class="sr-only">{pinned}</span>
        </span>
      )}
      {assignee !== null && (
        <span title={assigned}>
          <span class="shaped rounded-md bg-line px-1.5 font-semibold text-ink" aria-hidden="true">
            {initialsOf(assignee.name ?? someone)}
          </span>
          <span class="sr-only">{assigned}</span>
        </span>
      )}
      {chat.marked_unread && chat.unread === 0 && (
        <span data-mark class="shaped h-2.5 w-2.5 rounded-full bg-accent" title={markedUnread}>
          <span class="sr-only">{markedUnread}</span>
        </span>
      )}
    </span>
  );
}
