import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Document, Video } from "../bubbles/media.tsx";
import { Audio } from "../bubbles/rare.ts";
import { RichText } from "../bubbles/rich-text.tsx";
import { fullTime, shortTime } from "../format.ts";
import { type Chat, type Message, placed } from "../model.ts";
import { showsDetails } from "../navigation.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { bubbleWords, words, writingWords } from "../texts/texts.ts";
import { jumpTo, threadOf } from "../thread/thread.ts";
import { Viewer } from "../thread/viewer.tsx";

const KINDS = ["pictures", "videos", "files", "links"] as const;
type Kind = (typeof KINDS)[number];
const PAGE = 48;

/** The picture of the gallery that is in the viewer. */
const shown = signal<string | null>(null);

interface Loaded {
  readonly messages: readonly Message[];
  readonly next: string | null;
}

/** What a chat contains besides texts, newest first. */
export function Gallery({ chat, onClose }: { readonly chat: Chat; readonly onClose: () => void }) {
  const [kind, setKind] = useState<Kind>("pictures");
  const { loaded, problem, isLoading, more } = useGallery(chat, kind);
  const texts = writingWords.value;
  const messages = loaded?.messages ?? [];
  const goTo = (message: Message) => {
    onClose();
    showsDetails.value = false;
    void jumpTo(threadOf(chat.id), message.id);
  };
  return (
    <Dialog title={texts.gallery} close={words.value.close} open onClose={onClose}>
      <fieldset class="m-0 mb-3 flex flex-wrap gap-1 border-0" aria-label={texts.gallery}>
        {KINDS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === kind}
            class={`min-h-10 rounded-md px-3 text-sm font-semibold ${each === kind ? "bg-pane outline-1 outline-accent" : "text-dim"}`}
            onClick={() => setKind(each)}
          >
            {texts[each]}
          </button>
        ))}
      </fieldset>
      {kind === "pictures" ? (
        <ul class="flex flex-wrap gap-1" aria-label={texts[kind]}>
          {messages.map((message) => (
            <li key={message.id}>
              <Tile message={message} />
            </li>
          ))}
        </ul>
      ) : (
        <ul class="grid gap-3" aria-label={texts[kind]}>
          {messages.map((message) => (
            <li key={message.id} class="grid gap-0.5">
              <Content kind={kind} message={message} />
              <p class="flex flex-wrap items-center gap-x-3 text-xs text-dim">
                <time dateTime={message.wire.at} title={fullTime(message.time)}>
                  {shortTime(message.time, Date.now())}
                </time>
                <button
                  type="button"
                  class="min-h-10 rounded-md font-semibold underline"
                  onClick={() => goTo(message)}
                >
                  {texts.showInChat}
                </button>
              </p>
            </li>
          ))}
        </ul>
      )}
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <p role="status" class="text-sm text-dim empty:hidden">
        {loaded !== null && messages.length === 0 && loaded.next === null && texts.galleryEmpty}
      </p>
      {(problem !== null || (loaded !== null && loaded.next !== null)) && (
        <Button busy={isLoading} onPress={more}>
          {problem === null ? texts.showMore : words.value.retry}
        </Button>
      )}
      {shown.value !== null && <Viewer messages={messages} shown={shown} />}
    </Dialog>
  );
}

/** The pages of one kind that are loaded; answers for a kind that was left are dropped. */
function useGallery(chat: Chat, kind: Kind) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(false);
  const asking = useRef(new AbortController());
  const load = async (before: Loaded | null) => {
    const { signal } = asking.current;
    setLoading(true);
    try {
      const cursor = before?.next ?? null;
      const query = { kind, limit: PAGE, ...(cursor === null ? {} : { before: cursor }) };
      const page = await ask("listGallery", { path: { id: chat.id }, query }, signal);
      const fresh = page.messages.map((wire) => placed(wire, chat.chat_type));
      setLoaded({ messages: [...(before?.messages ?? []), ...fresh], next: page.next });
      setProblem(null);
    } catch (error) {
      if (!signal.aborted) setProblem(problemOf(error));
    }
    if (!signal.aborted) setLoading(false);
  };
  useEffect(() => {
    setLoaded(null);
    setProblem(null);
    asking.current = new AbortController();
    void load(null);
    return () => asking.current.abort();
  }, [chat.id, kind]);
  return { loaded, problem, isLoading, more: () => void load(loaded) };
}

function Tile({ message }: { readonly message: Message }): ComponentChildren {
  const { file } = message.wire;
  if (file === null) return null;
  return (
    <button
      type="button"
      class="block h-24 w-24 overflow-hidden rounded-md bg-line"
      aria-label={`${bubbleWords.value.openPhoto}, ${fullTime(message.time)}`}
      onClick={() => {
        shown.value = message.id;
      }}
    >
      <img src={file.url} alt="" loading="lazy" decoding="async" class="h-24 w-24 object-cover" />
    </button>
  );
}

function Content({ kind, message }: { readonly kind: Kind; readonly message: Message }) {
  const { file } = message.wire;
  if (kind === "links")
    return <RichText text={message.text} chatType={message.chatType} id={`gallery ${message.id}`} />;
  if (file === null || file.url === "") return <p class="text-dim">{bubbleWords.value.noFile}</p>;
  if (kind === "videos") return <Video file={file} />;
  return file.kind === "audio" ? <Audio file={file} /> : <Document file={file} />;
}
