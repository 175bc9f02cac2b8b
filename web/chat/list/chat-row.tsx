import { Avatar } from "../../kit/avatar.tsx";
import { MessengerMark } from "../../kit/messenger.tsx";
import { beginning } from "../../kit/pieces.ts";
import { draftOf } from "../composer/compose.ts";
import { isStuckIn } from "../composer/outbox.ts";
import { shortTime } from "../format.ts";
import { later, togetherParts } from "../later.ts";
import type { Chat } from "../model.ts";
import { words } from "../texts/texts.ts";
import { isTyping } from "../typing.ts";
import { summaryOf } from "./summary.ts";

const WorkMarks = later(async () => (await togetherParts()).WorkMarks);

interface ChatRowProps {
  readonly chat: Chat;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly isTabStop: boolean;
  readonly onPress: () => void;
}

/** A chat in the list: the person, the messenger, the last line, and unread messages. */
export function ChatRow({ chat, index, isCurrent, isTabStop, onPress }: ChatRowProps) {
  const draft = isCurrent ? "" : draftOf(chat.id);
  return (
    <button
      type="button"
      data-row={index}
      tabIndex={isTabStop ? 0 : -1}
      aria-current={isCurrent}
      class={`flex h-16 w-full items-center gap-3 border-l-3 px-3 text-left -outline-offset-2 ${isCurrent ? "border-accent bg-bg" : "border-transparent hover:bg-line/40"}`}
      onClick={onPress}
    >
      <ChatAvatar chat={chat} />
      <span class="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
        <span class="flex items-baseline gap-2">
          <span
            class={`min-w-0 flex-1 truncate ${chat.unread > 0 || chat.marked_unread ? "font-bold" : "font-semibold"}`}
            dir="auto"
          >
            {chat.name}
          </span>
          <time class="shrink-0 text-xs text-dim" dateTime={chat.last_at}>
            {shortTime(Date.parse(chat.last_at), Date.now())}
          </time>
        </span>
        <span class="flex items-center gap-2">
          <span class="min-w-0 flex-1 truncate text-sm text-dim" dir="auto">
            {isTyping(chat.id) ? (
              words.value.typing
            ) : draft === "" ? (
              summaryOf(chat)
            ) : (
              <>
                <span class="text-bad">{words.value.draft}</span> {beginning(draft)}
              </>
            )}
          </span>
          {(chat.marked_unread ||
            (chat.pinned_at ?? chat.assignee ?? chat.snoozed_until ?? chat.proposed_until) !== null) && (
            <WorkMarks chat={chat} />
          )}
          <Marks chat={chat} />
        </span>
      </span>
    </button>
  );
}

function Marks({ chat }: { readonly chat: Chat }) {
  const { failed, unreadCount, unanswered } = words.value;
  if (chat.unread > 0)
    return (
      <span
        data-mark
        class="shaped min-w-5 shrink-0 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-accent-ink"
      >
        <span aria-hidden="true">{chat.unread > 99 ? "99+" : chat.unread}</span>
        <span class="sr-only">{unreadCount(chat.unread)}</span>
      </span>
    );
  if (chat.failed || isStuckIn(chat.id))
    return (
      <span data-mark class="shrink-0 text-xs font-semibold text-bad">
        {failed}
      </span>
    );
  if (chat.unanswered > 0)
    return (
      <span data-mark class="shaped h-2.5 w-2.5 shrink-0 rounded-full bg-wait" title={unanswered}>
        <span class="sr-only">{unanswered}</span>
      </span>
    );
  return null;
}

/**
 * Initials or the picture, with the messenger's badge. Pictures on other hosts are not loaded, because the hosts
 * would see the reader.
 */
export function ChatAvatar({ chat }: { readonly chat: Chat }) {
  const url = chat.avatar_url;
  const isOurs = url !== null && URL.canParse(url) && new URL(url).origin === location.origin;
  return (
    <span class="relative shrink-0">
      <Avatar id={chat.id} name={chat.name} />
      {isOurs && (
        <img
          src={url}
          alt=""
          loading="lazy"
          class="absolute inset-0 h-10 w-10 rounded-full object-cover"
          onError={(event) => event.currentTarget.remove()}
        />
      )}
      <span class="absolute -right-1.5 -bottom-1.5 overflow-hidden rounded-md border-2 border-pane">
        <MessengerMark transport={chat.transport} size={16} isSmall />
      </span>
    </span>
  );
}
