import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { beginning } from "../../kit/pieces.ts";
import { draftOf } from "../composer/compose.ts";
import { togetherWords } from "../texts/texts.ts";
import { isLooking, presentIn, tell } from "./presence.ts";

/** Colleagues are told for 25 seconds that the employee looks at a chat. */
const REPEAT_MS = 8_000;
/** And that they type, for eight. */
const TYPING_MS = 3_000;

/** Tells colleagues what the employee does in a chat while it is open. */
function useTelling(chatId: string): void {
  const typedAt = useRef(Number.NEGATIVE_INFINITY);
  const isWriting = draftOf(chatId) !== "";
  useEffect(() => {
    // What was typed is sent or deleted.
    if (isWriting || performance.now() - typedAt.current > REPEAT_MS) return;
    typedAt.current = Number.NEGATIVE_INFINITY;
    tell(chatId, "viewing");
  }, [isWriting]);
  useEffect(() => {
    typedAt.current = Number.NEGATIVE_INFINITY;
    let isTold = false;
    const look = (asks: boolean): void => {
      if (!isLooking()) {
        leave();
        return;
      }
      isTold = true;
      tell(chatId, "viewing", asks);
    };
    const leave = (): void => {
      if (isTold) tell(chatId, "left");
      isTold = false;
    };
    const onInput = ({ target }: Event): void => {
      const isField = target instanceof HTMLTextAreaElement && target.closest("dialog") === null;
      if (!isField || target.value === "" || performance.now() - typedAt.current < TYPING_MS) return;
      typedAt.current = performance.now();
      isTold = true;
      tell(chatId, "typing");
    };
    const onVisible = (): void => look(true);
    look(true);
    const timer = setInterval(() => {
      if (performance.now() - typedAt.current > REPEAT_MS) look(false);
    }, REPEAT_MS);
    document.addEventListener("visibilitychange", onVisible);
    document.addEventListener("input", onInput);
    addEventListener("pagehide", leave);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", onVisible);
      document.removeEventListener("input", onInput);
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [chatId]);
}

/** Which colleagues look at the chat or type in it. */
export function Present({ chatId }: { readonly chatId: string }) {
  useTelling(chatId);
  const { viewing, typingNow, someone } = togetherWords.value;
  const here = presentIn(chatId).toSorted((a, b) => Number(b.isTyping) - Number(a.isTyping));
  const text = here
    .map(({ user, isTyping }) => (isTyping ? typingNow : viewing)(beginning(user.name ?? someone)))
    .join(" · ");
  return (
    <p
      role="status"
      class={`flex min-w-0 flex-1 items-center justify-end gap-1.5 text-xs ${here[0]?.isTyping ? "font-semibold text-accent-text" : "text-dim"}`}
      title={text}
    >
      {here.length > 0 && (
        <>
          <Icon name={here[0]?.isTyping ? "edit" : "eye"} />
          <span class="truncate">{text}</span>
        </>
      )}
    </p>
  );
}
