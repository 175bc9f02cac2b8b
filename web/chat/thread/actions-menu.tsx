import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { copyText } from "../../kit/copy-text.ts";
import { moveFocus } from "../../kit/focus.ts";
import { Icon, type IconName } from "../../kit/icon.tsx";
import { setIntent } from "../composer/compose.ts";
import { focusComposer } from "../composer/composer-focus.ts";
import { later } from "../later.ts";
import type { Message } from "../model.ts";
import { bubbleWords, dialogWords } from "../texts/texts.ts";
import { forwardedOf } from "../writing/forwarding.ts";
import { canEdit, canQuote, opened } from "./actions.ts";
import { react, remove, resend } from "./message-actions.ts";

const Removal = later(async () => (await import("./removal.tsx")).Removal);

const ForwardDialog = later(async () => (await import("../writing/forward-dialog.tsx")).ForwardDialog);
const AnswerDialog = later(async () => (await import("../canned/answer-dialog.tsx")).AnswerDialog);

/** The confirmation of an action. */
const dialog = signal<ComponentChildren>(null);
const close = () => {
  dialog.value = null;
};

/** Emoji that every messenger with reactions takes. */
const EMOJI = ["👍", "❤️", "🔥", "🎉", "😢", "🙏"];

interface ReactionsProps {
  readonly message: Message;
  readonly onReact: (emoji: string | null) => void;
}

/** Emoji to react with; pressing the present one removes it. */
function Emoji({ message, onReact }: ReactionsProps) {
  const ours = message.wire.reactions.find((each) => each.is_ours)?.emoji.replace(/\uFE0F$/, "");
  return (
    <fieldset aria-label={bubbleWords.value.react} class="m-0 flex justify-between gap-1 border-0 p-1">
      {EMOJI.map((emoji) => {
        const isOurs = emoji.replace(/\uFE0F$/, "") === ours;
        return (
          <button
            key={emoji}
            type="button"
            role="menuitemcheckbox"
            aria-checked={isOurs}
            class={`h-10 w-10 rounded-md text-lg hover:bg-pane ${isOurs ? "bg-pane outline-1 outline-accent" : ""}`}
            onClick={() => onReact(isOurs ? null : emoji)}
          >
            {emoji}
          </button>
        );
      })}
    </fieldset>
  );
}

interface Action {
  readonly label: string;
  readonly icon: IconName;
  readonly act: () => void;
}

/** The actions possible for a message: only those its messenger supports. */
function actionsOf(message: Message): readonly Action[] {
  const { reply, edit, copy, copied, remove: removeIt, saveAnswer, sendAgain } = bubbleWords.value;
  const place = message.wire.chat_id;
  const forwarded = forwardedOf(message);
  const intend = (kind: "quote" | "edit") => () => {
    setIntent(place, { kind, message });
    focusComposer();
  };
  const candidates: readonly [boolean, Action][] = [
    [canQuote(message), { label: reply, icon: "reply", act: intend("quote") }],
    [canEdit(message), { label: edit, icon: "edit", act: intend("edit") }],
    [
      forwarded !== null,
      {
        label: bubbleWords.value.forward,
        icon: "external",
        act: () => {
          if (forwarded === null) return;
          dialog.value = <ForwardDialog message={message} forwarded={forwarded} onClose={close} />;
        },
      },
    ],
    [message.wire.can_resend, { label: sendAgain, icon: "retry", act: () => resend(message) }],
    [message.text !== "", { label: copy, icon: "copy", act: () => copyText(message.text, copied) }],
    [
      message.isOut && message.text !== "" && message.wire.type === "text",
      {
        label: saveAnswer,
        icon: "template",
        act: () => {
          const begin = { kind: "add", name: "", text: message.text } as const;
          dialog.value = <AnswerDialog begin={begin} onClose={close} />;
        },
      },
    ],
    [
      message.wire.can_delete,
      {
        label: removeIt,
        icon: "trash",
        act: () => {
          const { removeTitle, removeHint } = dialogWords.value;
          dialog.value = (
            <Removal title={removeTitle} hint={removeHint} remove={() => remove(message)} onClose={close} />
          );
        },
      },
    ],
  ];
  return candidates.filter(([isPossible]) => isPossible).map(([, action]) => action);
}

/** The menu shared by all messages; once per page. */
export function ActionsMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const now = opened.value;
  // Before the next key press, which already belongs to the menu.
  useLayoutEffect(() => {
    const box = menu.current;
    if (now === null || box === null) return;
    box.showPopover();
    const at = now.button.getBoundingClientRect();
    const below = at.bottom + box.offsetHeight + 8 < innerHeight;
    box.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - box.offsetHeight - 4)}px`;
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`;
    box.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
  }, [now]);
  const actions = now === null ? [] : actionsOf(now.message);
  return (
    <>
      <div
        ref={menu}
        popover="auto"
        role="menu"
        aria-label={bubbleWords.value.actions}
        class="fixed m-0 min-w-40 rounded-lg border border-line bg-bg p-1 text-ink shadow-lg"
        onKeyDown={(event) => moveFocus(event, "[role^=menuitem]")}
        onToggle={(event) => {
          if (event.newState !== "closed") return;
          // Restores the focus only if the action did not move it.
          if (document.activeElement === document.body) now?.button.focus();
          opened.value = null;
        }}
      >
        {actions.map(({ label, icon, act }) => (
          <button
            key={label}
            type="button"
            role="menuitem"
            class="flex min-h-10 w-full items-center gap-2.5 rounded-md px-3 py-2 text-left hover:bg-pane"
            onClick={() => {
              menu.current?.hidePopover();
              act();
            }}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))}
        {now?.message.wire.can_react === true && (
          <Emoji
            message={now.message}
            onReact={(emoji) => {
              menu.current?.hidePopover();
              react(now.message, emoji);
            }}
          />
        )}
      </div>
      {dialog.value}
    </>
  );
}
