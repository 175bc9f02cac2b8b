import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Composer } from "../composer/composer.tsx";
import { DropZone } from "../composer/drop-zone.tsx";
import { reachAgain, waitingIn } from "../composer/outbox.ts";
import { later, togetherParts } from "../later.ts";
import { known } from "../list/chats.ts";
import { isMessage, type Message, placed } from "../model.ts";
import { markRead, type Place } from "../navigation.ts";
import { words } from "../texts/texts.ts";
import { notingIn } from "../together/noting.ts";
import { finding } from "./finding.ts";
import { shownPicture } from "./shown-picture.ts";
import { refresh, refreshAbilities, threadOf } from "./thread.ts";
import { ThreadHead } from "./thread-head.tsx";
import { ThreadList } from "./thread-list.tsx";
import { ThreadSkeleton } from "./thread-skeleton.tsx";

const FindBar = later(async () => (await import("../writing/find-bar.tsx")).FindBar);
const WriteSwitch = later(async () => (await togetherParts()).WriteSwitch);
const Viewer = later(async () => (await import("./viewer.tsx")).Viewer);

/** One conversation: header, messages, composer. */
export function ThreadPane({ place }: { readonly place: Place }) {
  return place.kind === "chat" ? <ChatThread id={place.id} /> : <NewThread place={place} />;
}

function ChatThread({ id }: { readonly id: string }) {
  const thread = threadOf(id);
  const chat = known.value.get(id);
  const span = thread.span.value;
  const messages = useLaidOut(id, chat?.chat_type ?? "");
  useEffect(() => reachAgain(id), [id]);
  useEffect(() => {
    const seen = () => void markRead(known.value.get(id));
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, [id]);
  const retry = () => {
    void refresh(thread);
    void refreshAbilities(thread);
  };
  if (chat === undefined) return <Failed problem={thread.problem.value} onRetry={retry} />;
  return (
    <DropZone place={id} abilities={thread.abilities.value}>
      <ThreadHead chat={chat} />
      {finding.value === id && <FindBar key={id} thread={thread} />}
      {span === null ? (
        thread.problem.value === null ? (
          <ThreadSkeleton />
        ) : (
          <Failed problem={thread.problem.value} onRetry={retry} />
        )
      ) : (
        <ThreadList key={id} thread={thread} chat={chat} messages={messages} />
      )}
      <div
        class={`min-h-10 border-t border-line print:hidden ${notingIn.value === id ? "" : "[@media(max-height:300px)]:hidden"}`}
      >
        <WriteSwitch key={`switch ${id}`} chatId={id} />
      </div>
      {notingIn.value !== id && (
        <Composer
          key={id}
          place={id}
          to={null}
          channelId={chat.channel_id}
          chatType={chat.chat_type}
          name={chat.name}
          thread={thread}
        />
      )}
      {shownPicture.value !== null && <Viewer messages={messages} />}
    </DropZone>
  );
}

/** The messages of a thread with waiting ones, each laid out once; the same list while nothing changes. */
function useLaidOut(id: string, chatType: string): readonly Message[] {
  const kept = useRef(new WeakMap<object, Message>());
  const span = threadOf(id).span.value;
  const stored = useMemo(
    () =>
      (span?.messages ?? []).filter(isMessage).map((wire) => {
        const message = kept.current.get(wire) ?? placed(wire, chatType);
        kept.current.set(wire, message);
        return message;
      }),
    [span?.messages, chatType],
  );
  const waiting = span?.after === null ? waitingIn(id) : [];
  if (waiting.length === 0) return stored;
  const ids = new Set(stored.map(({ wire }) => wire.client_id));
  return [...stored, ...waiting.filter((message) => !ids.has(message.id))];
}

/** A person without a chat: messages wait here until they are accepted. */
function NewThread({ place }: { readonly place: Extract<Place, { kind: "new" }> }) {
  const waiting = waitingIn(place.key);
  useEffect(() => reachAgain(place.key), [place.key]);
  return (
    <DropZone place={place.key} abilities={null}>
      <ThreadHead fresh={place} />
      {waiting.length === 0 ? (
        <div class="grid flex-1 content-center p-6 text-center text-dim">
          <p class="font-semibold text-ink">{words.value.noMessages}</p>
          <p class="text-sm">{words.value.noMessagesHint}</p>
        </div>
      ) : (
        <ThreadList key={place.key} thread={null} chat={null} messages={waiting} />
      )}
      <Composer
        key={place.key}
        place={place.key}
        to={place.to}
        channelId={place.to.channel_id}
        chatType={place.to.chat_type ?? ""}
        name={place.name}
        thread={null}
      />
      {shownPicture.value !== null && <Viewer messages={waiting} />}
    </DropZone>
  );
}

function Failed({ problem, onRetry }: { readonly problem: string | null; readonly onRetry: () => void }) {
  if (problem === null) return <ThreadSkeleton />;
  return (
    <div class="grid flex-1 content-center justify-items-center gap-3 p-6">
      <Notice tone="bad">
        {words.value.failedLoad} {problem}
      </Notice>
      <Button onPress={onRetry}>{words.value.retry}</Button>
    </div>
  );
}
