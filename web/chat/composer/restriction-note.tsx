import { type Restriction, restrictionText } from "../../kit/restrictions.tsx";
import { channels } from "../channels.ts";

/** What hinders the chats that exist, in addition to new ones. */
const HINDERS_REPLIES: ReadonlySet<Restriction["kind"]> = new Set(["replies", "spam"]);

interface NoteProps {
  readonly channelId: string | undefined;
  /** Nothing was written in this chat yet. */
  readonly isNew: boolean;
}

/** Why the messenger may refuse what is written here, though the channel works; nothing if it will not. */
export function RestrictionNote({ channelId, isNew }: NoteProps) {
  const channel = channels.value.find(({ channel_id: id }) => id === channelId);
  const shown = (channel?.restrictions ?? []).filter(({ kind }) =>
    isNew ? kind !== "unanswered" && kind !== "quality" : HINDERS_REPLIES.has(kind),
  );
  return (
    <p role="status" class="text-sm text-dim empty:hidden">
      {shown.map(restrictionText).join(" ")}
    </p>
  );
}
