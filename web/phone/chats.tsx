import { useState } from "preact/hooks";
import type { Chat, Newest, PhoneFacts } from "../../sandbox/phone/shape.ts";
import { Avatar } from "../kit/avatar.tsx";
import { moveFocus } from "../kit/focus.ts";
import { Icon } from "../kit/icon.tsx";
import { Bar } from "./bar.tsx";
import { Linking } from "./linking.tsx";
import type { Pane } from "./pane.ts";
import { unreadIn } from "./seen.ts";
import { chats, setPane } from "./state.ts";
import { looks, words } from "./texts/texts.ts";
import { clockTime } from "./time.ts";

interface ChatsProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly index: number;
  readonly title: string;
}

/** The app's first screen: people and chats that this person can write to. */
export function Chats({ facts, pane, index, title }: ChatsProps) {
  const [linking, setLinking] = useState(false);
  const found = chats.value.get(pane.person);
  return (
    <>
      <Bar colour={facts.colour}>
        <h2 class="flex-1 truncate px-2 text-lg font-semibold">{title}</h2>
        {facts.link.length > 0 && (
          <button
            type="button"
            class="flex min-h-10 items-center gap-2 rounded-full px-3 text-sm font-semibold text-white outline-white hover:bg-black/20"
            onClick={() => setLinking(true)}
          >
            <Icon name="link" />
            {words.value.link}
          </button>
        )}
      </Bar>
      <div class="min-h-0 flex-1 overflow-y-auto">
        {found === undefined && <ChatSkeleton />}
        {found?.length === 0 && <p class="p-6 text-center text-dim">{words.value.noChats}</p>}
        <ul aria-label={words.value.chats} onKeyDown={(event) => moveFocus(event, "button")}>
          {found?.map((chat) => (
            <ChatRow
              key={chat.id}
              chat={chat}
              unread={unreadIn(facts.name, { ...pane, chat: chat.id }, chat.newest?.received ?? 0)}
              onPress={() => setPane(index, { ...pane, chat: chat.id })}
            />
          ))}
        </ul>
      </div>
      <Linking open={linking} facts={facts} person={pane.person} onClose={() => setLinking(false)} />
    </>
  );
}

interface ChatRowProps {
  readonly chat: Chat;
  readonly unread: number;
  readonly onPress: () => void;
}

function ChatRow({ chat, unread, onPress }: ChatRowProps) {
  const last = chat.newest?.message;
  return (
    <li class="border-b border-line">
      <button
        type="button"
        class="flex w-full items-center gap-3 px-3 py-2.5 text-left -outline-offset-2 hover:bg-pane"
        onClick={onPress}
      >
        <Avatar id={chat.id} name={chat.title} />
        <span class="grid min-w-0 flex-1">
          <span class="flex items-baseline gap-2">
            <span class="min-w-0 flex-1 truncate font-semibold">{chat.title}</span>
            {last != null && (
              <time class="text-xs text-dim" dateTime={new Date(last.at).toISOString()}>
                {clockTime(last.at)}
              </time>
            )}
          </span>
          <span class="flex items-center gap-2">
            <span class="min-w-0 flex-1 truncate text-sm text-dim">
              {last == null ? chat.detail : lineOf(last)}
            </span>
            {unread > 0 && (
              <span class="shaped shrink-0 rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-ink">
                <span aria-hidden="true">{unread}</span>
                <span class="sr-only">{words.value.unread(unread)}</span>
              </span>
            )}
          </span>
        </span>
        {last == null && <Icon name="chevron" />}
      </button>
    </li>
  );
}

/** The newest message in one line. */
function lineOf({ mine, deleted, text, look }: NonNullable<Newest["message"]>): string {
  const said = deleted ? words.value.deleted : text || looks.value[look];
  return mine ? `${words.value.you} ${said}` : said;
}

function ChatSkeleton() {
  return (
    <div class="appears-late grid gap-px" aria-busy="true">
      {[1, 2, 3].map((row) => (
        <div key={row} class="h-15 bg-pane" />
      ))}
    </div>
  );
}
