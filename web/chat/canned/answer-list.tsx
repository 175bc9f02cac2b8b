import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { composerField } from "../composer/composer-focus.ts";
import { later } from "../later.ts";
import type { Recipient } from "../list/recipient.ts";
import type { Begin } from "./answer-dialog.tsx";
import { answers, answersProblem } from "./answers.ts";
import { namesIn, type Option, optionsFor, writeOn } from "./options.ts";
import type { TypedName } from "./typed-name.ts";
import { useActive, useFieldAttributes, useFieldKeys, useTypedName } from "./use-field.ts";
import { cannedWords } from "./words.ts";

const AnswerDialog = later(async () => (await import("./answer-dialog.tsx")).AnswerDialog);

interface AnswerListProps {
  readonly place: string;
  readonly to: Recipient | null;
}

const PANEL =
  "absolute inset-x-3 bottom-full z-10 mb-1 max-h-[45dvh] overflow-y-auto rounded-lg border border-line bg-bg shadow-lg";

/**
 * The canned answers that match the name being typed, above the composer. The focus stays in the field, a text area
 * with the attributes of a combobox, because the role itself is for single-line fields only (ARIA in HTML).
 */
export function AnswerList({ place, to }: AnswerListProps) {
  const id = useId();
  const [typed, dismiss] = useTypedName();
  const [begin, setBegin] = useState<Begin | null>(null);
  const caret = useRef(0);
  const open = (next: Begin) => {
    caret.current = composerField.current?.selectionEnd ?? 0;
    setBegin(next);
  };
  const close = () => {
    setBegin(null);
    queueMicrotask(() => writeOn(caret.current));
  };
  const options = typed === null ? [] : optionsFor(typed, namesIn(place, to), open);
  const found = options.filter(({ icon }) => icon === null).length;
  const isLoading = answers.value === null && answersProblem.value === null;
  // If there is nothing to insert, Enter sends the text, or after a slash alone opens the form for the first answer.
  const first = found > 0 || (typed?.name === "" && !isLoading) ? 0 : -1;
  const [active, setActive] = useActive(typed, first, options.length);
  useFieldAttributes(typed === null ? null : id, active);
  useFieldKeys((event) => {
    if (typed === null || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive(stepped(active, step, options.length));
    else if (event.key === "Escape") dismiss();
    else if ((event.key !== "Enter" && event.key !== "Tab") || event.shiftKey) return false;
    else if (active >= 0) options[active]?.choose();
    // The answers may still be loading.
    else return isLoading;
    return true;
  });
  return (
    <>
      <div class={typed === null ? "sr-only" : PANEL}>
        {/* Always there: what appears together with its text is not announced. */}
        <p
          role="status"
          class={
            found > 0
              ? "sr-only"
              : `px-3 py-2 text-sm text-dim empty:hidden ${isLoading ? "appears-late" : ""}`
          }
        >
          {typed !== null && statusOf(typed, found, isLoading)}
        </p>
        {typed !== null && (
          <div id={id} role="listbox" aria-label={cannedWords.value.title} class="p-1">
            {options.map((option, index) => (
              <OptionRow key={option.key} id={`${id}-${index}`} option={option} isActive={index === active} />
            ))}
          </div>
        )}
      </div>
      {begin !== null && <AnswerDialog begin={begin} onClose={close} />}
    </>
  );
}

/** The number of answers, or why there are none: loading, failed to load, none in the account, or no match. */
function statusOf({ name }: TypedName, found: number, isLoading: boolean): string {
  const words = cannedWords.value;
  if (found > 0) return words.count(found);
  if (isLoading) return words.loading;
  return answersProblem.value ?? (name === "" ? words.none : words.noneTyped(name));
}

interface OptionRowProps {
  readonly id: string;
  readonly option: Option;
  readonly isActive: boolean;
}

function OptionRow({ id, option, isActive }: OptionRowProps) {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  const { title, detail, icon, choose } = option;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      class={`flex cursor-pointer gap-2 rounded-md px-2 py-1.5 hover:bg-pane ${isActive ? "bg-pane outline-1 -outline-offset-1 outline-accent-text" : ""}`}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={choose}
    >
      {icon !== null && (
        <span class="grid place-items-center text-dim">
          <Icon name={icon} />
        </span>
      )}
      <span class="grid min-w-0 flex-1">
        <span class="truncate font-semibold">{title}</span>
        {detail !== null && <span class="line-clamp-2 text-sm wrap-anywhere text-dim">{detail}</span>}
      </span>
    </div>
  );
}

/** Without a selected option the arrow keys select the first or the last one; at the ends they wrap around. */
function stepped(active: number, step: number, count: number): number {
  return active < 0 ? (step > 0 ? 0 : count - 1) : (active + step + count) % count;
}
