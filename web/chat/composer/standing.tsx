import { useEffect, useState } from "preact/hooks";
import { clockTime } from "../format.ts";
import type { Abilities } from "../model.ts";
import { session } from "../session.ts";
import { composerWords } from "../texts/texts.ts";
import { messagesIn, type Thread } from "../thread/thread.ts";

const MINUTE_MS = 60_000;
/** A window that ends later than this is not mentioned. */
const WINDOW_NOTE_MS = 3 * 60 * MINUTE_MS;
const EDIT_NOTE_MS = 15 * MINUTE_MS;

/** The state of this conversation: why nothing can be sent, until when, and what can still be edited. */
export function Standing({ thread }: { readonly thread: Thread | null }) {
  const now = useMinutes();
  if (thread === null) return null;
  const abilities = thread.abilities.value;
  const fault = abilities === null ? null : obstacle(abilities);
  const text = abilities === null ? null : (fault ?? closing(abilities, now) ?? editing(thread, now));
  return (
    <p role="status" class={`text-sm empty:hidden ${fault === null ? "text-dim" : "font-semibold text-ink"}`}>
      {text}
    </p>
  );
}

function obstacle(abilities: Abilities): string | null {
  const words = composerWords.value;
  switch (abilities.why_not) {
    case "channel_deleted":
      return words.channelDeleted;
    case "not_enough_money":
      return words.notPaid;
    case "blocked":
      return words.blocked;
    case "rejected":
      return words.rejected;
    case "channel_inactive":
      return words.channelInactive;
    case null:
      if (abilities.window?.is_open === false)
        return abilities.templates ? words.onlyTemplates : words.closed;
      return null;
  }
}

function closing({ window }: Abilities, now: number): string | null {
  if (window?.ends_at == null) return null;
  const end = Date.parse(window.ends_at);
  return end > now && end - now < WINDOW_NOTE_MS ? composerWords.value.closesIn(clockTime(end)) : null;
}

/** The agent's last message, if it can still be edited for a short time. */
function editing(thread: Thread, now: number): string | null {
  const last = messagesIn(thread).findLast(({ direction }) => direction === "out");
  if (last === undefined || last.author?.id !== session.value?.user.id || last.deleted_at !== null)
    return null;
  const left = Date.parse(last.can_edit_until ?? "") - now;
  return left > 0 && left <= EDIT_NOTE_MS
    ? composerWords.value.editWindow(Math.ceil(left / MINUTE_MS))
    : null;
}

/** The present time, updated often enough for texts in minutes. */
function useMinutes(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 4);
    return () => clearInterval(timer);
  }, []);
  return Math.max(now, Date.now() - MINUTE_MS);
}
