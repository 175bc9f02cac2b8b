import type { GroupPerson, MemberChange } from "../transport/events.ts";
import type { Event } from "./event.ts";
import type { GroupChanges, GroupFact } from "./facts.ts";
import type { GroupItem, MembersItem } from "./v2-shapes.ts";

/** `group_chat.update`. Pure. */
export function groupEvent(fact: GroupFact, { changes, oldName }: GroupChanges): Event {
  const { name, avatar_uri, ...of } = aboutGroup(fact);
  const body: GroupItem = { ...of, changes: [...changes], name, old_name: oldName, avatar_uri };
  return { ...orderOf(fact), kind: "group_chat.update", body };
}

/** `group_chat.memberships_update`. Pure. */
export function membersEvent(fact: GroupFact, members: readonly MemberChange[]): Event {
  const changed = members.map(({ change, person }) => ({ action: change, ...personOf(person) }));
  const body: MembersItem = { ...aboutGroup(fact), members: changed };
  return { ...orderOf(fact), kind: "group_chat.memberships_update", body };
}

function orderOf({ accountId, channelId, chat }: GroupFact): Omit<Event, "kind" | "body"> {
  return { accountId, channelId, chat, subject: chat };
}

function aboutGroup({ channelId, chatType, chatId, name, avatarUri, at, by }: GroupFact) {
  return {
    channel_id: channelId,
    chat_type: chatType,
    chat_id: chatId,
    timestamp: at.getTime(),
    changed_by: by === null ? null : personOf(by),
    name,
    avatar_uri: avatarUri,
  };
}

function personOf({ id, name, username, phone }: GroupPerson) {
  return { id, name, username: username ?? null, phone: phone ?? null };
}
