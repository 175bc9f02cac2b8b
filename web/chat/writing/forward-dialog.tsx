import { useEffect, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Notice } from "../../kit/notice.tsx";
import { toast } from "../../kit/toast.tsx";
import { send } from "../composer/outbox.ts";
import { ChatAvatar } from "../list/chat-row.tsx";
import { lineOf } from "../list/summary.ts";
import { type Abilities, type Chat, type Message, withShortName } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { words, writingWords } from "../texts/texts.ts";
import { channelName } from "../thread/thread-head.tsx";
import { type Forwarded, faultIn, planOf } from "./forwarding.ts";

const TYPING_MS = 250;
const SHOWN = 20;

interface ForwardDialogProps {
  readonly message: Message;
  readonly forwarded: Forwarded;
  readonly onClose: () => void;
}

/** Chooses a chat, says how the message arrives there, and sends it. */
export function ForwardDialog({ message, forwarded, onClose }: ForwardDialogProps) {
  const [chosen, setChosen] = useState<Chat | null>(null);
  const texts = writingWords.value;
  return (
    <Dialog title={texts.forwardTitle} close={words.value.close} open onClose={onClose}>
      <div class="grid gap-3">
        <p class="truncate text-sm text-dim" dir="auto">
          {lineOf(message.wire, message.chatType)}
        </p>
        {chosen === null ? (
          <Choice without={message.wire.chat_id} onChoose={setChosen} />
        ) : (
          <Confirmation
            chat={chosen}
            forwarded={forwarded}
            onBack={() => setChosen(null)}
            onSent={() => {
              toast(texts.forwarded(chosen.name));
              onClose();
            }}
          />
        )}
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  /** Our id of the chat that the message is from. */
  readonly without: string;
  readonly onChoose: (chat: Chat) => void;
}

/** The chats with the latest messages, or those that a search finds. */
function Choice({ without, onChoose }: ChoiceProps) {
  const [asked, setAsked] = useState("");
  const [chats, setChats] = useState<readonly Chat[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const texts = writingWords.value;
  useEffect(() => {
    const abort = new AbortController();
    const search = asked.trim();
    const timer = setTimeout(
      () => {
        const query = { limit: SHOWN, ...(search === "" ? {} : { search }) };
        ask("listChats", { query }, abort.signal).then(
          (page) => {
            setChats(page.chats.filter(({ id }) => id !== without).map(withShortName));
            setProblem(null);
          },
          (error: unknown) => !abort.signal.aborted && setProblem(problemOf(error)),
        );
      },
      search === "" ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked]);
  return (
    <>
      <input
        type="search"
        maxLength={100}
        class="h-10 w-full rounded-md border border-edge bg-bg px-3"
        aria-label={texts.findChat}
        placeholder={texts.findChat}
        value={asked}
        onInput={(event) => setAsked(event.currentTarget.value)}
      />
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <p role="status" class="text-sm text-dim empty:hidden">
        {chats?.length === 0 && words.value.noneFound}
      </p>
      <ul class="max-h-[50vh] overflow-y-auto" aria-label={words.value.chats}>
        {(chats ?? []).map((chat) => (
          <li key={chat.id}>
            <button
              type="button"
              class="flex w-full items-center gap-3 px-3 py-2.5 text-left -outline-offset-2 hover:bg-line/40"
              onClick={() => onChoose(chat)}
            >
              <ChatAvatar chat={chat} />
              <span class="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
                <span class="truncate font-semibold" dir="auto">
                  {chat.name}
                </span>
                <span class="truncate text-sm text-dim">{channelName(chat.channel_id, chat.transport)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ConfirmationProps {
  readonly chat: Chat;
  readonly forwarded: Forwarded;
  readonly onBack: () => void;
  readonly onSent: () => void;
}

function Confirmation({ chat, forwarded, onBack, onSent }: ConfirmationProps) {
  const [abilities, setAbilities] = useState<Abilities | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    ask("getAbilities", { path: { id: chat.id } }).then(setAbilities, (error: unknown) =>
      setProblem(problemOf(error)),
    );
  }, [chat.id]);
  const texts = writingWords.value;
  const plan = abilities === null ? null : planOf(forwarded, abilities);
  const fault = plan === null ? problem : faultIn(plan, forwarded);
  const { text, file } = forwarded;
  const forward = () => {
    const common = { place: chat.id, to: null, chatType: chat.chat_type, quoted: null };
    if (file === null || plan?.kind === "one")
      send({ ...common, ...(text === "" ? {} : { text }), ...(file === null ? {} : { forwarded: file }) });
    else {
      send({ ...common, forwarded: file });
      send({ ...common, text });
    }
    onSent();
  };
  return (
    <>
      <p class="flex items-center gap-3">
        <ChatAvatar chat={chat} />
        <span class="min-w-0 truncate font-semibold" dir="auto">
          {chat.name}
        </span>
      </p>
      {fault !== null && <Notice tone="bad">{fault}</Notice>}
      <p role="status" class="text-sm text-dim empty:hidden">
        {plan?.kind === "two" && texts.forwardInTwo}
      </p>
      <div class="flex flex-wrap gap-3">
        <Button
          look="primary"
          busy={plan === null && problem === null}
          disabled={fault !== null}
          onPress={forward}
        >
          {texts.forward}
        </Button>
        <Button onPress={onBack}>{texts.otherChat}</Button>
      </div>
    </>
  );
}
