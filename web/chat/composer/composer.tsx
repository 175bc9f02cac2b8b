import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Drawing, Icon } from "../../kit/icon.tsx";
import { later } from "../later.ts";
import type { Recipient } from "../list/recipient.ts";
import { type Message, placed } from "../model.ts";
import { enterAction } from "../preference.ts";
import { problemOf } from "../problem.ts";
import { session } from "../session.ts";
import { composerWords } from "../texts/texts.ts";
import { canEdit } from "../thread/actions.ts";
import { tellTyping } from "../thread/marks.ts";
import { jumpToEnd, messagesIn, type Thread } from "../thread/thread.ts";
import { ButtonsEditor } from "./buttons-editor.tsx";
import { markRecording, setTray, trayOf } from "./chosen-files.ts";
import {
  beginOf,
  buttonsOf,
  givenBack,
  giveUp,
  intentOf,
  keepTyped,
  setButtons,
  setIntent,
  unsaved,
} from "./compose.ts";
import { composerField } from "./composer-focus.ts";
import { send } from "./outbox.ts";
import { Standing } from "./standing.tsx";
import { TemplatePicker } from "./template-picker.tsx";
import { acceptOf, addFiles, captionPlace, takesFiles } from "./tray.ts";

const AnswerList = later(async () => (await import("../canned/answer-list.tsx")).AnswerList);
const RestrictionNote = later(async () => (await import("./restriction-note.tsx")).RestrictionNote);
const parts = () => import("./composer-parts.tsx");
const IntentBar = later(async () => (await parts()).IntentBar);
const UnsavedChanges = later(async () => (await parts()).UnsavedChanges);
const EmojiPicker = later(async () => (await import("../emoji/emoji-picker.tsx")).EmojiPicker);
const VoiceRecorder = later(async () => (await import("../writing/voice-recorder.tsx")).VoiceRecorder);
const Tray = later(async () => (await parts()).Tray);

interface ComposerProps {
  /** Our id of the chat, or what stands for a new one. */
  readonly place: string;
  readonly to: Recipient | null;
  readonly channelId: string | undefined;
  readonly chatType: string;
  readonly name: string;
  /** Null: no thread is open yet, so the kinds that can be sent are unknown. */
  readonly thread: Thread | null;
}

/** From this share of the longest text on, the page counts. */
const COUNT_FROM = 0.8;
const LINES = 8;
const MICROPHONE =
  "M8 1.5a2 2 0 0 0-2 2V8a2 2 0 0 0 4 0V3.5a2 2 0 0 0-2-2ZM3.5 7.5V8a4.5 4.5 0 0 0 9 0v-.5M8 12.5v2M5.5 14.5h5";
const SMILE = "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM5 9.5a3.5 3.5 0 0 0 6 0M5.8 6v.3M10.2 6v.3";

/** Where the agent writes. What the channel cannot do is not there. */
export function Composer({ place, to, channelId, chatType, name, thread }: ComposerProps) {
  const abilities = thread?.abilities.value ?? null;
  const canWrite = abilities === null || (abilities.can_send && abilities.window?.is_open !== false);
  const intent = intentOf(place);
  const [text, setText] = useState(() => beginOf(place, intent));
  const [emojiButton, setEmojiButton] = useState<HTMLElement | null>(null);
  const [isRecording, setRecording] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const buttons = buttonsOf(place);
  const field = useRef<HTMLTextAreaElement>(null);
  // It comes and goes with what the channel can do.
  useLayoutEffect(() => {
    composerField.current = field.current;
  });
  const files = trayOf(place);
  // Before the next key, which may follow at once.
  useLayoutEffect(() => {
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, []);
  // An edit begins with the message's text, and leaves the draft as it was.
  useLayoutEffect(() => {
    setText(beginOf(place, intent));
    if (intent !== null) field.current?.focus();
  }, [intent, givenBack.value]);
  useLayoutEffect(() => grow(field.current), [text]);
  // Its width also changes with the window, the details, and the buttons beside it. Within the observer's call, a change of
  // its height would be an error.
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => requestAnimationFrame(() => grow(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [canWrite]);

  const write = (next: string) => {
    setText(next);
    setProblem(null);
    keepTyped(place, intent, next);
    if (intent?.kind !== "edit" && next.trim() !== "") tellTyping(thread);
  };
  const { keyboard } = buttons;
  const limit =
    abilities === null
      ? Number.POSITIVE_INFINITY
      : keyboard === undefined
        ? abilities.text.max_length
        : abilities.text.max_length_with_buttons;
  const caption = captionPlace(text, files, { abilities, hasButtons: keyboard !== undefined });
  const isReady = (text.trim() !== "" || files.length > 0) && text.length <= limit;
  const save = async (message: Message) => {
    // At once: what is typed from now on belongs to the next message.
    keepTyped(place, intent, text);
    setIntent(place, null);
    try {
      const { saveChange } = await import("../thread/message-actions.ts");
      await saveChange(place, message, text);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const submit = () => {
    if (!isReady) return;
    if (intent?.kind === "edit") return void save(intent.message);
    const quoted = intent?.kind === "quote" ? intent.message.wire : null;
    const common = { place, to, chatType };
    const isCaption = caption === "with";
    for (const [index, file] of files.entries())
      send({
        ...common,
        file,
        ...(isCaption && index === files.length - 1 ? { text: text.trim() } : {}),
        quoted: index === 0 ? quoted : null,
      });
    if (text.trim() !== "" && !isCaption) {
      send({
        ...common,
        text: text.trim(),
        quoted: files.length === 0 ? quoted : null,
        ...(keyboard === undefined ? {} : { keyboard }),
      });
      // Files go without them.
      setButtons(place, null);
    }
    setTray(place, []);
    setIntent(place, null);
    write("");
    showSent();
    field.current?.focus();
  };
  const showSent = () => {
    if (thread === null) return;
    thread.unreadFrom.value = null;
    void jumpToEnd(thread);
  };
  const sendFile = (file: File) => {
    const quoted = intent?.kind === "quote" ? intent.message.wire : null;
    send({ place, to, chatType, file: markRecording(file), quoted });
    setIntent(place, null);
    showSent();
  };
  const editLast = () => {
    const last = messagesIn(thread).findLast(
      (wire) => wire.direction === "out" && wire.author?.id === session.value?.user.id,
    );
    const message = last === undefined ? null : placed(last, chatType);
    if (message === null || !canEdit(message)) return false;
    setIntent(place, { kind: "edit", message });
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const onEnter = enterAction(event);
    if (onEnter !== null) {
      event.preventDefault();
      if (onEnter === "send") submit();
      else document.execCommand("insertText", false, "\n");
    } else if (event.key === "ArrowUp" && text === "" && intent === null) {
      if (editLast()) event.preventDefault();
    } else if (event.key === "Escape" && intent !== null) {
      event.stopPropagation();
      giveUp(place);
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0 || !canAttach) return;
    event.preventDefault();
    setProblem(addFiles(place, pasted, abilities));
  };
  const words = composerWords.value;
  const recordings = intent?.kind === "edit" ? null : abilities?.recordings;
  const canAttach = intent?.kind !== "edit" && takesFiles(abilities);
  return (
    <footer class="print:hidden relative grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line px-3 py-2.5">
      <Standing thread={thread} />
      <RestrictionNote channelId={channelId} isNew={thread === null} />
      {problem !== null && (
        <p role="alert" class="text-sm font-semibold text-bad">
          {problem}
        </p>
      )}
      {canWrite && (
        <>
          {unsaved.value.length > 0 && <UnsavedChanges place={place} />}
          {intent !== null && <IntentBar intent={intent} onStop={() => giveUp(place)} />}
          {files.length > 0 && <Tray place={place} caption={caption} />}
          {text.includes("/") && intent?.kind !== "edit" && <AnswerList place={place} to={to} />}
          {/* By its own width: between two other panes it is narrow on a wide screen, too. */}
          {isRecording && recordings != null && (
            <VoiceRecorder
              place={place}
              form={recordings}
              onSend={(file) => sendFile(file)}
              onClose={() => {
                setRecording(false);
                // The field is shown again with the next rendering.
                setTimeout(() => field.current?.focus());
              }}
            />
          )}
          <div
            class={`${isRecording && recordings != null ? "hidden" : "@container flex"} items-end gap-1 rounded-lg border border-edge p-1 focus-within:border-accent-text focus-within:outline-1 focus-within:outline-accent-text`}
          >
            {canAttach && (
              <Attach
                accept={abilities === null ? "" : acceptOf(abilities)}
                onChoose={(chosen) => setProblem(addFiles(place, chosen, abilities))}
              />
            )}
            <textarea
              ref={field}
              rows={1}
              class="min-h-10 min-w-0 flex-1 resize-none bg-transparent px-2 py-2 leading-6 outline-none placeholder:truncate placeholder:text-dim"
              placeholder={words.write(name)}
              aria-label={words.message}
              dir="auto"
              value={text}
              onInput={(event) => write(event.currentTarget.value)}
              onKeyDown={onKeyDown}
              onPaste={onPaste}
            />
            <button
              type="button"
              class="grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim hover:text-ink"
              aria-label={words.emoji}
              aria-haspopup="dialog"
              title={words.emoji}
              onClick={(event) => setEmojiButton(event.currentTarget)}
            >
              <Drawing path={SMILE} size={18} />
            </button>
            {emojiButton !== null && (
              <EmojiPicker
                button={emojiButton}
                onChoose={(emoji) => {
                  setEmojiButton(null);
                  field.current?.focus();
                  // As if it was typed, so that the browser can undo it.
                  document.execCommand("insertText", false, emoji);
                }}
                onClose={() => setEmojiButton(null)}
              />
            )}
            {abilities?.templates === true && thread !== null && intent === null && (
              <TemplatePicker place={place} chatType={chatType} look="icon" />
            )}
            {abilities?.keyboard && intent?.kind !== "edit" && (
              <ButtonsEditor
                shape={abilities.keyboard}
                maxPayload={abilities.max_payload_length}
                buttons={buttons}
                onChange={(next) => setButtons(place, next)}
              />
            )}
            {intent?.kind !== "edit" && (
              <button
                type="button"
                class="grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim hover:text-ink @max-[300px]:hidden"
                aria-label={words.answers}
                title={words.answers}
                onClick={() => {
                  field.current?.focus();
                  document.execCommand("insertText", false, text === "" ? "/" : " /");
                }}
              >
                <Icon name="slash" size={18} />
              </button>
            )}
            {recordings != null && text === "" && files.length === 0 && (
              <button
                type="button"
                class="grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim hover:text-ink"
                aria-label={words.record}
                title={words.record}
                onClick={() => setRecording(true)}
              >
                <Drawing path={MICROPHONE} size={18} />
              </button>
            )}
            <button
              type="button"
              class="shaped h-10 min-w-10 shrink-0 rounded-md bg-accent px-3.5 font-semibold text-accent-ink disabled:opacity-60"
              aria-label={intent?.kind === "edit" ? words.save : words.send}
              disabled={!isReady}
              onClick={submit}
            >
              <span class="@max-md:hidden">{intent?.kind === "edit" ? words.save : words.send}</span>
              <span class="@md:hidden">
                <Icon name={intent?.kind === "edit" ? "check" : "send"} />
              </span>
            </button>
          </div>
          {text.length >= limit * COUNT_FROM && (
            <p
              class={`text-right text-xs ${text.length > limit ? "font-semibold text-bad" : "text-dim"}`}
              aria-live="polite"
            >
              {text.length > limit ? words.over(text.length - limit) : words.left(limit - text.length)}
            </p>
          )}
        </>
      )}
      {!canWrite && abilities?.can_send === true && abilities.templates && (
        <TemplatePicker place={place} chatType={chatType} look="button" />
      )}
    </footer>
  );
}

interface AttachProps {
  readonly accept: string;
  readonly onChoose: (files: readonly File[]) => void;
}

function Attach({ accept, onChoose }: AttachProps) {
  const input = useRef<HTMLInputElement>(null);
  const { attach } = composerWords.value;
  return (
    <>
      <button
        type="button"
        class="grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim hover:text-ink"
        aria-label={attach}
        title={attach}
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" size={18} />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accept}
        aria-label={attach}
        onChange={(event) => {
          onChoose([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

/** As high as the text, up to eight lines. */
function grow(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = "auto";
  const line = Number.parseFloat(getComputedStyle(field).lineHeight) || 24;
  field.style.height = `${Math.min(field.scrollHeight, line * LINES + 16)}px`;
}
