import { Avatar } from "../../kit/avatar.tsx";
import { Icon } from "../../kit/icon.tsx";
import { shortName } from "../../kit/messenger.tsx";
import { channels } from "../channels.ts";
import { later, togetherParts } from "../later.ts";
import { ChatAvatar } from "../list/chat-row.tsx";
import { type Channel, type Chat, isMessage } from "../model.ts";
import { leave, type Place, showsDetails } from "../navigation.ts";
import { setShowsPane, showsPane } from "../preference.ts";
import { words } from "../texts/texts.ts";
import { isTyping } from "../typing.ts";
import { threadOf } from "./thread.ts";

const AssigneeLine = later(async () => (await togetherParts()).AssigneeLine);
const ChatMenu = later(async () => (await togetherParts()).ChatMenu);

type Fresh = Extract<Place, { kind: "new" }>;
type HeadProps = { readonly chat: Chat } | { readonly fresh: Fresh };

/** Id of the button that shows the details. */
export const DETAILS_BUTTON = "details";

/** The person, the channel, and the author of the last reply. */
export function ThreadHead(props: HeadProps) {
  const isKnown = "chat" in props;
  const name = isKnown ? props.chat.name : props.fresh.name;
  return (
    <header class="@container flex items-center gap-3 border-b border-line px-4 py-2.5">
      <button
        type="button"
        class="-ml-3 grid h-10 w-10 shrink-0 place-items-center rounded-md min-[600px]:hidden"
        aria-label={words.value.back}
        onClick={leave}
      >
        <Icon name="back" />
      </button>
      {isKnown ? <ChatAvatar chat={props.chat} /> : <Avatar id={name} name={name} />}
      <div class="min-w-0 flex-1">
        <h2 class="truncate font-bold" dir="auto">
          {name}
        </h2>
        <p class="truncate text-sm text-dim">
          {isKnown && <AssigneeLine chat={props.chat} />}
          {isKnown ? describe(props.chat) : channelName(props.fresh.to.channel_id, props.fresh.transport)}
        </p>
      </div>
      {isKnown && (
        <span class="-mr-2 flex min-h-10 min-w-10 shrink-0 justify-end gap-1 print:hidden">
          <ChatMenu key={props.chat.id} chat={props.chat} />
        </span>
      )}
      {isKnown && (
        <button
          id={DETAILS_BUTTON}
          type="button"
          class="grid h-10 w-10 shrink-0 place-items-center rounded-md hover:bg-pane print:hidden"
          aria-label={words.value.details}
          onClick={toggleDetails}
        >
          <Icon name="info" />
        </button>
      )}
    </header>
  );
}

/** Beside the conversation if there is room, else in a dialog. */
function toggleDetails(): void {
  if (matchMedia("(min-width: 900px)").matches) setShowsPane(!showsPane.value);
  else showsDetails.value = true;
}

function describe(chat: Chat): string {
  if (isTyping(chat.id)) return words.value.typing;
  const answered = threadOf(chat.id)
    .span.value?.messages.filter(isMessage)
    .findLast(({ direction, author }) => direction === "out" && author?.name)?.author?.name;
  const parts = [
    channelName(chat.channel_id, chat.transport),
    chat.is_group ? words.value.group : "",
    answered ? words.value.answeredBy(answered) : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** A channel's name for agents: its messenger, and its name or number if that adds something. */
export function channelName(id: string, transport: string): string {
  const channel = channels.value.find(({ channel_id: each }) => each === id);
  const own = channel === undefined ? "" : identityOf(channel);
  return [shortName(transport), own].filter((part) => part !== "").join(" · ");
}

export function identityOf({ name, username, phone }: Channel): string {
  if (username !== "") return `@${username}`;
  return /^\d{5,15}$/.test(phone) ? `+${phone}` : name;
}
