import { copyText } from "../../kit/copy-text.ts";
import { draftOf, givenBack, intentOf, keepDraft, setIntent } from "../composer/compose.ts";
import { discard, sendAgain } from "../composer/outbox.ts";
import { type Message, placed } from "../model.ts";
import { reasonOf } from "../problem.ts";
import { bubbleWords, words } from "../texts/texts.ts";
import { resend } from "./message-actions.ts";

const LINE = "flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-bad";
const LINK = "min-h-10 rounded-md font-semibold underline";

/** A message that was not sent: the reason, and what can be done. */
export function Failure({ message }: { readonly message: Message }) {
  const { error, can_resend: canResend } = message.wire;
  const { error: notSent, sendAgain: again, copy, copied } = bubbleWords.value;
  return (
    <p class={LINE}>
      <span>{error === null ? notSent : reasonOf(error.code, error.description)}</span>
      {canResend && (
        <button type="button" class={LINK} onClick={() => resend(message)}>
          {again}
        </button>
      )}
      {message.text !== "" && (
        <button type="button" class={LINK} onClick={() => copyText(message.text, copied)}>
          {copy}
        </button>
      )}
    </p>
  );
}

/** A message that the service has not accepted yet: the progress of its file, or why it was refused. */
export function Waiting({ message }: { readonly message: Message }) {
  const pending = message.pending;
  if (pending === null) return null;
  const { sendAgain: again } = bubbleWords.value;
  const { cancel } = words.value;
  if (pending.state === "refused" || pending.state === "lost")
    return (
      <p role="alert" class={LINE}>
        <span>{pending.problem}</span>
        {pending.state === "refused" && (
          <button type="button" class={LINK} onClick={() => sendAgain(message.id)}>
            {again}
          </button>
        )}
        <button type="button" class={LINK} onClick={() => takeBack(message)}>
          {cancel}
        </button>
      </p>
    );
  if (message.wire.file === null && pending.state !== "waiting" && pending.problem === null) return null;
  return (
    <p class="flex flex-wrap items-center gap-2 text-sm">
      {pending.problem !== null && <span>{pending.problem}</span>}
      {message.wire.file !== null && (
        <progress
          class="h-1.5 min-w-24 flex-1 accent-accent"
          max={1}
          value={pending.progress}
          aria-label={bubbleWords.value.uploading}
        />
      )}
      <button
        type="button"
        class="min-h-10 rounded-md font-semibold underline"
        onClick={() => takeBack(message)}
      >
        {cancel}
      </button>
    </p>
  );
}

/**
 * Takes back a message. Its text is put before what is typed in its place. What it quotes is quoted again, unless the
 * field already replies to another message or edits one.
 */
function takeBack({ id }: Message): void {
  const what = discard(id);
  if (what === undefined) return;
  const { place, text, quoted, chatType } = what;
  const typed = draftOf(place);
  if (text !== undefined) keepDraft(place, typed === "" ? text : `${text}\n${typed}`);
  if (quoted !== null && intentOf(place) === null)
    setIntent(place, { kind: "quote", message: placed(quoted, chatType) });
  givenBack.value++;
}
