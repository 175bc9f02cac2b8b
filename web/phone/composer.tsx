import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Kind, Message, PhoneFacts } from "../../sandbox/phone/shape.ts";
import { Icon } from "../kit/icon.tsx";
import { Menu } from "../kit/menu.tsx";
import type { Pane } from "./pane.ts";
import { Sheet } from "./sheet.tsx";
import { act } from "./state.ts";
import { looks, said, words } from "./texts/texts.ts";
import { useWork } from "./use-work.ts";

/** The current draft: a new message, a reply, or an edit. */
export type Draft =
  | { readonly kind: "new" }
  | { readonly kind: "reply"; readonly message: Message }
  /** `text`: as it was changed already, where the messenger did not take it. */
  | { readonly kind: "edit"; readonly message: Message; readonly text?: string };

interface ComposerProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
}

const ROUND = "grid h-10 w-10 shrink-0 place-items-center rounded-full";

/** The input of a chat. Enter sends, Escape cancels a reply or an edit. */
export function Composer({ facts, pane, draft, setDraft }: ComposerProps) {
  const [text, setText] = useState("");
  const [sheet, setSheet] = useState<{ readonly kind: Kind; readonly file?: File } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const work = useWork();
  // Before the next key press, which already belongs to the reply or edit.
  useLayoutEffect(() => {
    if (draft.kind !== "new") input.current?.focus();
    if (draft.kind === "edit") setText(draft.text ?? draft.message.text);
  }, [draft]);
  const stop = (): void => {
    if (draft.kind === "edit") setText("");
    setDraft({ kind: "new" });
  };
  const submit = async (): Promise<void> => {
    if (text.trim() === "") return;
    // At once: what is typed from now on is the next message.
    setText("");
    setDraft({ kind: "new" });
    try {
      if (draft.kind === "edit") await act(pane, "edit", { message: draft.message.id, text });
      else await act(pane, "send", { kind: "text", text, ...replyTo(draft) });
    } catch (error) {
      if (input.current?.value === "") {
        setText(text);
        setDraft(draft.kind === "edit" ? { ...draft, text } : draft);
      }
      throw error;
    }
  };
  const takeFile = (file: File | null | undefined): void => {
    const kind = file == null ? undefined : kindFor(facts, file);
    if (file != null && kind !== undefined) setSheet({ kind, file });
  };
  const others = facts.kinds.filter(({ look }) => look !== "text");
  return (
    <>
      <form
        class="grid grid-cols-1 gap-1 p-2"
        onSubmit={(event) => {
          event.preventDefault();
          work.run(submit);
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          takeFile(event.dataTransfer?.files[0]);
        }}
      >
        {draft.kind !== "new" && <About draft={draft} onStop={stop} />}
        <div class="flex items-center gap-1">
          <Menu
            label={words.value.attach}
            items={others.map((kind) => ({
              label: kind.title === undefined ? looks.value[kind.look] : said(kind.title),
              onChoose: () => setSheet({ kind }),
            }))}
            class={`${ROUND} text-dim hover:bg-pane`}
          >
            <Icon name="plus" size={20} />
          </Menu>
          <input
            ref={input}
            aria-label={words.value.write}
            placeholder={words.value.write}
            class="min-h-10 min-w-0 flex-1 rounded-full border border-edge bg-bg px-4"
            value={text}
            autoComplete="off"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") stop();
            }}
            onPaste={(event) => takeFile(event.clipboardData?.files[0])}
          />
          <button
            type="submit"
            aria-label={words.value.send}
            class={`${ROUND} text-white disabled:opacity-60`}
            style={{ background: facts.colour }}
            disabled={work.busy}
          >
            <Icon name="send" size={18} />
          </button>
        </div>
      </form>
      <Sheet
        chosen={sheet}
        onClose={() => setSheet(null)}
        onSend={async (given) => {
          await act(pane, "send", { ...given, ...replyTo(draft) });
          setDraft({ kind: "new" });
        }}
      />
    </>
  );
}

function About({
  draft,
  onStop,
}: {
  readonly draft: Exclude<Draft, { kind: "new" }>;
  readonly onStop: () => void;
}) {
  const { replying, editing, cancel } = words.value;
  const { message } = draft;
  return (
    <p class="flex items-center gap-2 px-2 text-sm text-dim">
      <span class="min-w-0 flex-1 truncate">
        {draft.kind === "reply" ? replying : editing}: {message.text || looks.value[message.look]}
      </span>
      <button
        type="button"
        class="grid h-8 w-8 place-items-center rounded-full hover:bg-pane"
        aria-label={cancel}
        onClick={onStop}
      >
        <Icon name="close" />
      </button>
    </p>
  );
}

function replyTo(draft: Draft): { readonly reply_to?: string } {
  return draft.kind === "reply" ? { reply_to: draft.message.id } : {};
}

/** The message kind for a dropped or pasted file. */
function kindFor({ kinds }: PhoneFacts, file: File): Kind | undefined {
  const type = file.type.split("/")[0];
  return kinds.find(({ look }) => look === type) ?? kinds.find(({ look }) => look === "file");
}
