import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Locale, locale } from "../../kit/i18n.ts";
import { browserStore } from "../composer/drafts.ts";
import { writingWords } from "../texts/texts.ts";
import { type Emoji, findEmoji, GROUPS, readEmoji, withTone } from "./find-emoji.ts";
import { list } from "./list.ts";

/** Only the words of the page's language are loaded. */
const WORDS: Readonly<Record<Locale, () => Promise<{ readonly words: string }>>> = {
  en: () => import("./en.ts"),
  ru: () => import("./ru.ts"),
  es: () => import("./es.ts"),
  "pt-BR": () => import("./pt.ts"),
};
const RECENT_KEY = "trunkline-emoji";
const TONE_KEY = "trunkline-emoji-tone";
const MAX_RECENT = 24;
const TONES = [0, 1, 2, 3, 4, 5] as const;
const TABS = ["😀", "👋", "🐻", "🍎", "🚗", "⚽", "💡", "❤️", "🏁"] as const;
const RECENT = -1;
const HAND = { text: "✋", hasTones: true };

interface EmojiPickerProps {
  /** The button above which it is shown. */
  readonly button: HTMLElement;
  readonly onChoose: (emoji: string) => void;
  /** By Escape, or by a click outside. */
  readonly onClose: () => void;
}

/** Emoji by group or by words in the page's language. Arrow keys move in the grid. */
export function EmojiPicker({ button, onChoose, onClose }: EmojiPickerProps) {
  const box = useRef<HTMLDivElement>(null);
  const [all, setAll] = useState<readonly Emoji[]>(() => readEmoji(list, ""));
  const [asked, setAsked] = useState("");
  const [recent] = useState(readRecent);
  const [group, setGroup] = useState<number>(recent.length > 0 ? RECENT : 0);
  const [tone, setTone] = useState(() => Number(browserStore()?.getItem(TONE_KEY)) || 0);
  const words = writingWords.value;
  useEffect(() => {
    // Without them, emoji are still chosen by group.
    WORDS[locale.value]()
      .then((loaded) => setAll(readEmoji(list, loaded.words)))
      .catch(() => undefined);
  }, []);
  useLayoutEffect(() => {
    const popover = box.current;
    if (popover === null) return;
    popover.showPopover();
    const stand = () => standAbove(popover, button);
    stand();
    popover.querySelector("input")?.focus();
    addEventListener("resize", stand);
    return () => removeEventListener("resize", stand);
  }, []);
  const shown =
    asked.trim() !== ""
      ? findEmoji(all, asked)
      : group === RECENT
        ? recent.flatMap((text) => all.find((each) => each.text === text) ?? [])
        : all.filter((each) => each.group === group);
  const choose = (emoji: Emoji) => {
    keepRecent(emoji.text);
    onChoose(withTone(emoji, tone));
  };
  const groupName = group === RECENT ? words.recentEmoji : (words.emojiGroups.split("|")[group] ?? "");
  return (
    <div
      ref={box}
      popover="auto"
      role="dialog"
      aria-label={words.emoji}
      class="fixed m-0 w-[min(28rem,calc(100vw-2rem))] rounded-lg border border-line bg-bg p-1 text-ink shadow-lg"
      onToggle={(event) => event.newState === "closed" && onClose()}
    >
      <div class="flex gap-1">
        <input
          type="search"
          maxLength={100}
          class="h-10 min-w-0 flex-1 rounded-md border border-edge bg-bg px-3"
          aria-label={words.findEmoji}
          placeholder={words.findEmoji}
          value={asked}
          onInput={(event) => setAsked(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown" && (event.key !== "Enter" || shown.length === 0)) return;
            event.preventDefault();
            const [first] = shown;
            if (event.key === "Enter" && first !== undefined && asked.trim() !== "") choose(first);
            else box.current?.querySelector<HTMLElement>("[data-emoji]")?.focus();
          }}
        />
        <select
          class="h-10 shrink-0 rounded-md border border-edge bg-bg px-3"
          aria-label={words.skinTone}
          value={String(tone)}
          onChange={(event) => {
            const chosen = Number(event.currentTarget.value);
            setTone(chosen);
            keep(TONE_KEY, String(chosen));
          }}
        >
          {TONES.map((each) => (
            <option key={each} value={String(each)} aria-label={words.skinTones.split("|")[each]}>
              {withTone(HAND, each)}
            </option>
          ))}
        </select>
      </div>
      {asked.trim() === "" && (
        <fieldset class="m-0 flex justify-between border-0" aria-label={words.emojiKinds}>
          {[...(recent.length > 0 ? [RECENT] : []), ...GROUPS.keys()].map((each) => (
            <button
              key={each}
              type="button"
              class={`h-10 min-w-0 flex-1 rounded-md text-lg hover:bg-pane ${each === group ? "bg-pane outline-1 outline-accent" : ""}`}
              aria-label={each === RECENT ? words.recentEmoji : words.emojiGroups.split("|")[each]}
              aria-pressed={each === group}
              onClick={() => setGroup(each)}
            >
              {each === RECENT ? "🕒" : TABS[each]}
            </button>
          ))}
        </fieldset>
      )}
      <p class="px-3 text-xs font-semibold text-dim" role="status">
        {asked.trim() === "" ? groupName : words.foundEmoji(shown.length)}
      </p>
      <Grid
        emoji={shown}
        tone={tone}
        label={asked.trim() === "" ? groupName : words.emoji}
        onChoose={choose}
      />
    </div>
  );
}

/** Within the window, also if that is narrow or low. */
function standAbove(popover: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  popover.style.top = `${Math.max(8, at.top - popover.offsetHeight - 8)}px`;
  popover.style.left = `${Math.max(8, Math.min(at.left, innerWidth - popover.offsetWidth - 8))}px`;
}

interface GridProps {
  readonly emoji: readonly Emoji[];
  readonly tone: number;
  readonly label: string;
  readonly onChoose: (emoji: Emoji) => void;
}

/** One tab stop; arrow keys move by one, or by a row. */
function Grid({ emoji, tone, label, onChoose }: GridProps) {
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-emoji]")];
    const now = buttons.indexOf(document.activeElement as HTMLElement);
    const top = buttons[0]?.offsetTop;
    const columns = buttons.findIndex(({ offsetTop }) => offsetTop !== top);
    const row = columns < 0 ? buttons.length : columns;
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: now + 1,
      ArrowLeft: now - 1,
      ArrowDown: now + row,
      ArrowUp: now - row,
      Home: 0,
      End: buttons.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fields
    <div
      role="group"
      aria-label={label}
      class="flex max-h-40 flex-wrap content-start overflow-y-auto"
      onKeyDown={onKeyDown}
    >
      {emoji.map((each, index) => (
        <button
          key={each.text}
          type="button"
          data-emoji={each.text}
          tabIndex={index === 0 ? 0 : -1}
          class="h-10 w-10 rounded-md text-lg hover:bg-pane"
          aria-label={each.words[0] || each.text}
          title={each.words[0]}
          onClick={() => onChoose(each)}
        >
          {withTone(each, tone)}
        </button>
      ))}
    </div>
  );
}

function readRecent(): readonly string[] {
  return (browserStore()?.getItem(RECENT_KEY) ?? "").split(" ").filter((text) => text !== "");
}

function keepRecent(text: string): void {
  keep(RECENT_KEY, [...new Set([text, ...readRecent()])].slice(0, MAX_RECENT).join(" "));
}

/** If the store is full or refused, the choice is forgotten. */
function keep(key: string, value: string): void {
  try {
    browserStore()?.setItem(key, value);
  } catch {
    // As without a store.
  }
}
