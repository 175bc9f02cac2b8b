import { useEffect, useRef, useState } from "preact/hooks";
import type { Chat, Conversation, Message, PhoneFacts } from "../../sandbox/phone/shape.ts";
import { Avatar } from "../kit/avatar.tsx";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu } from "../kit/menu.tsx";
import { BAR_BUTTON, Bar } from "./bar.tsx";
import { Bubble } from "./bubble.tsx";
import { Composer, type Draft } from "./composer.tsx";
import { Keyboard } from "./keyboard.tsx";
import type { Pane } from "./pane.ts";
import { act, chats, conversations, keyOf, setPane } from "./state.ts";
import { words } from "./texts/texts.ts";
import { useWork } from "./use-work.ts";

interface ThreadProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly index: number;
  readonly chat: string;
}

/** One chat from the phone owner's point of view. */
export function Thread({ facts, pane, index, chat }: ThreadProps) {
  const [draft, setDraft] = useState<Draft>({ kind: "new" });
  const found = chats.value.get(pane.person)?.find(({ id }) => id === chat);
  const conversation = conversations.value.get(keyOf(pane));
  return (
    <>
      <Head facts={facts} pane={pane} index={index} chat={found} conversation={conversation} />
      <Messages
        facts={facts}
        pane={pane}
        isGroup={found?.kind === "group"}
        conversation={conversation}
        onReply={(message) => setDraft({ kind: "reply", message })}
        onEdit={(message) => setDraft({ kind: "edit", message })}
      />
      {conversation !== undefined && (
        <Foot
          facts={facts}
          pane={pane}
          index={index}
          conversation={conversation}
          draft={draft}
          setDraft={setDraft}
        />
      )}
    </>
  );
}

interface HeadProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly index: number;
  readonly chat: Chat | undefined;
  readonly conversation: Conversation | undefined;
}

function Head({ facts, pane, index, chat, conversation }: HeadProps) {
  const work = useWork();
  const { back, actions, read, typing, call, block, unblock } = words.value;
  const isBlocked = conversation?.blocked === true;
  const all = [
    ["read", read],
    ["typing", typing],
    ["call", call],
    isBlocked ? (["unblock", unblock] as const) : (["block", block] as const),
  ] as const;
  const items = all
    .filter(([name]) => facts.acts.includes(name) && !(chat?.kind === "group" && name === "block"))
    .map(([name, label]) => ({ label, onChoose: () => work.run(() => act(pane, name)) }));
  return (
    <Bar colour={facts.colour}>
      <button
        type="button"
        class={BAR_BUTTON}
        aria-label={back}
        onClick={() => setPane(index, { ...pane, chat: null })}
      >
        <Icon name="back" size={20} />
      </button>
      <Avatar id={chat?.id ?? ""} name={chat?.title ?? ""} size={36} />
      <div class="min-w-0 flex-1">
        <h2 class="truncate font-semibold">{chat?.title}</h2>
        <p class="truncate text-xs">{chat?.detail}</p>
      </div>
      {items.length > 0 && (
        <Menu label={actions} items={items} class={BAR_BUTTON}>
          <Icon name="more" size={20} />
        </Menu>
      )}
    </Bar>
  );
}

interface MessagesProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly isGroup: boolean;
  readonly conversation: Conversation | undefined;
  readonly onReply: (message: Message) => void;
  readonly onEdit: (message: Message) => void;
}

/** Scrolls to new messages unless the person has scrolled up. */
function Messages({ conversation, ...more }: MessagesProps) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const newest = conversation?.messages.at(-1)?.id;
  const count = conversation?.messages.length ?? 0;
  // Pictures grow when they are loaded.
  const stay = (): void => {
    const element = box.current;
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  };
  useEffect(stay, [newest, count]);
  useEffect(() => {
    window.addEventListener("resize", stay);
    return () => window.removeEventListener("resize", stay);
  }, []);
  return (
    <div
      ref={box}
      class="min-h-0 flex-1 overflow-y-auto bg-pane"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      role="log"
      aria-label={words.value.chats}
      onScroll={({ currentTarget: at }) => {
        atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 60;
      }}
    >
      {conversation === undefined && (
        <div class="appears-late m-3 h-16 w-2/3 rounded-lg bg-line" aria-busy="true" />
      )}
      {count === 0 && conversation !== undefined && (
        <p class="p-6 text-center text-dim">
          {conversation.unstarted ? words.value.unstarted : words.value.noMessages}
        </p>
      )}
      <ol class="grid grid-cols-1 gap-1.5 p-3" onLoadCapture={stay}>
        {conversation?.messages.map((message) => (
          <Bubble key={message.id} message={message} {...more} />
        ))}
      </ol>
    </div>
  );
}

interface FootProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly index: number;
  readonly conversation: Conversation;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
}

function Foot({ facts, pane, index, conversation, draft, setDraft }: FootProps) {
  const work = useWork();
  const { start, unblock, blocked } = words.value;
  // Avito creates the chat with the first action; its id changes then.
  const begin = async (): Promise<void> => {
    const made = (await act(pane, "start")) as { readonly id?: unknown } | null;
    if (typeof made?.id === "string" && pane.chat?.startsWith("new:"))
      setPane(index, { ...pane, chat: made.id });
  };
  if (conversation.unstarted)
    return (
      <div class="grid border-t border-line p-3">
        <Button look="primary" busy={work.busy} onPress={() => work.run(begin)}>
          {start}
        </Button>
      </div>
    );
  if (conversation.blocked)
    return (
      <div class="grid gap-2 border-t border-line p-3 text-center">
        <p class="text-sm text-dim">{blocked}</p>
        <Button busy={work.busy} onPress={() => work.run(() => act(pane, "unblock"))}>
          {unblock}
        </Button>
      </div>
    );
  return (
    <div class="border-t border-line">
      <Composer facts={facts} pane={pane} draft={draft} setDraft={setDraft} />
      <Keyboard pane={pane} rows={conversation.keyboard} />
    </div>
  );
}
