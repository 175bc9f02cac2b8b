import { useEffect, useState } from "preact/hooks";
import { shortTime } from "../format.ts";
import { ChatAvatar } from "../list/chat-row.tsx";
import { known, listState, takeChat } from "../list/chats.ts";
import { Empty } from "../list/list-pane.tsx";
import { lineOf } from "../list/summary.ts";
import { type Chat, type WireMessage, withShortName } from "../model.ts";
import { openChat } from "../navigation.ts";
import { ask } from "../session.ts";
import { words } from "../texts/texts.ts";

const SHORTEST = 2;
const TYPING_MS = 250;

interface Hit {
  readonly message: WireMessage;
  readonly chat: Chat;
}

/** Results of the service; responses to earlier queries are discarded. */
function useFound(text: string): readonly Hit[] | null {
  const [found, setFound] = useState<readonly Hit[] | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      if (text.length < SHORTEST) setFound([]);
      else
        ask("searchMessages", { query: { q: text, limit: 30 } }, abort.signal).then(
          ({ found: hits }) =>
            setFound(hits.map(({ message, chat }) => ({ message, chat: withShortName(chat) }))),
          () => !abort.signal.aborted && setFound([]),
        );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return found;
}

interface FoundProps {
  readonly text: string;
  /** Whether chats were found by name. */
  readonly hasChats: boolean;
}

/** Messages that match the search, below the chats. */
export function Found({ text, hasChats }: FoundProps) {
  const found = useFound(text);
  const { noneFound, noneFoundHint } = words.value;
  if (found === null || (found.length === 0 && (hasChats || listState.value === "loading"))) return null;
  if (found.length === 0) return <Empty title={noneFound} hint={noneFoundHint} />;
  return (
    <section aria-label={words.value.messages}>
      <h2 class="px-3 pt-4 pb-1 text-xs font-semibold text-dim">{words.value.messages}</h2>
      <ul>
        {found.map(({ message, chat }) => (
          <li key={message.id}>
            <button
              type="button"
              class="flex w-full items-center gap-3 px-3 py-2.5 text-left -outline-offset-2 hover:bg-line/40"
              onClick={() => {
                // The stream may have brought a later state than the search.
                if (!known.value.has(chat.id)) takeChat(chat);
                void openChat(chat.id, message.id);
              }}
            >
              <ChatAvatar chat={chat} />
              <span class="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
                <span class="flex items-baseline gap-2">
                  <span class="min-w-0 flex-1 truncate font-semibold" dir="auto">
                    {chat.name}
                  </span>
                  <time class="shrink-0 text-xs text-dim" dateTime={message.at}>
                    {shortTime(Date.parse(message.at), Date.now())}
                  </time>
                </span>
                <span class="line-clamp-2 text-sm text-dim" dir="auto">
                  {lineOf(message, chat.chat_type)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
