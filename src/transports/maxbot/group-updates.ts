import type { GroupPerson, MemberChange, TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign/foreign-date.ts";
import { required } from "../kit/json.ts";
import type { InboundContext } from "./context.ts";
import { nameOf } from "./names.ts";
import type { MaxUpdate, MaxUser } from "./update.ts";

const GROUP_UPDATES: ReadonlySet<string | undefined> = new Set([
  "chat_title_changed",
  "bot_added",
  "bot_removed",
  "user_added",
  "user_removed",
]);

/** Maps a change of a group (dev.max.ru, "Update": `chat_title_changed`, `user_added`, `bot_removed` …). */
export function fromGroupUpdate(update: MaxUpdate, context: InboundContext): TransportEvent[] {
  const { update_type, is_channel, timestamp } = update;
  if (!GROUP_UPDATES.has(update_type)) return [];
  const chatId = required(update.chat_id, "chat_id");
  if (is_channel === true) return [];
  const user = update.user ?? {};
  const about = {
    // MAX gives these changes no ids, so one is derived.
    ref: {
      chatType: "maxgroup" as const,
      chatId,
      externalId: `${update_type}:${timestamp ?? ""}:${user.user_id ?? ""}`,
    },
    at: dateFromUnix(timestamp, context.now),
  };
  if (update_type === "chat_title_changed") {
    const by = user.user_id === undefined ? {} : { by: toPerson(user.user_id, user) };
    return [{ kind: "group", ...about, ...by, title: required(update.title, "title") }];
  }
  const members = [{ change: changeOf(update), person: whoChanged(update, context) }];
  return [{ kind: "members", ...about, title: context.titleOf(chatId), members }];
}

function changeOf({ update_type, user, admin_id }: MaxUpdate): MemberChange["change"] {
  if (update_type === "bot_added" || update_type === "user_added") return "added";
  if (update_type === "bot_removed") return "removed";
  return admin_id !== undefined && admin_id !== user?.user_id ? "removed" : "left";
}

/** In `bot_added` and `bot_removed`, `user` is the person who acted; the member concerned is the bot. */
function whoChanged({ update_type, user = {} }: MaxUpdate, { self }: InboundContext): GroupPerson {
  if (update_type === "bot_added" || update_type === "bot_removed") return self;
  return toPerson(required(user.user_id, "user.user_id"), user);
}

function toPerson(id: string, user: MaxUser): GroupPerson {
  return { id, name: nameOf(user), ...(user.username !== undefined && { username: user.username }) };
}
