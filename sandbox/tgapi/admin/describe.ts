import type { AuthKey } from "../mtproto/auth-key.ts";
import type { Session } from "../mtproto/session.ts";
import type { Fault } from "../rpc/fault.ts";
import { membersOf } from "../world/directory.ts";
import type { Group } from "../world/group.ts";
import { peerOfGroup } from "../world/group.ts";
import type { Letter } from "../world/letter.ts";
import { markedId } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import { kindOf } from "../world/summary.ts";
import type { World } from "../world/world.ts";

export function describePerson(world: World, person: Person): unknown {
  const keys = [...world.keys.values()].filter(
    ({ userId, isImported }) => userId === person.id && !isImported,
  );
  return {
    id: person.id,
    phone: person.phone,
    first_name: person.firstName,
    last_name: person.lastName ?? null,
    username: person.username ?? null,
    home_dc: person.homeDc,
    is_bot: person.isBot,
    status: person.status,
    has_password: person.password !== undefined,
    hides_phone: person.hidesPhone,
    writers: person.writers,
    inviters: person.inviters,
    restricted_until: person.restrictedUntil,
    blocked: [...person.blocked].map((id) => world.phoneOf(id) ?? null),
    contacts: [...person.contacts.keys()].map((id) => world.phoneOf(id) ?? null),
    pts: person.mailbox.pts,
    sessions: keys.map((each) => describeKey(world, each)),
    inbox_total: world.inboxOf(person.id).lastSeq,
  };
}

/** A login, with its MTProto sessions. */
export function describeKey(world: World, key: AuthKey): unknown {
  const sessions = [...world.sessions.values()].filter((session) => session.key === key);
  return {
    session: key.hash.toString(),
    dc: key.dc,
    layer: key.layer ?? null,
    device_model: key.app?.deviceModel ?? null,
    app_version: key.app?.appVersion ?? null,
    online: sessions.some(({ isOnline }) => isOnline),
    connections: sessions.map(describeSession),
  };
}

function describeSession({ id, isOnline, wantsUpdates, outbox }: Session): unknown {
  return {
    session_id: id.toString(),
    online: isOnline,
    wants_updates: wantsUpdates,
    unconfirmed: outbox.unconfirmed,
    waiting_updates: outbox.waitingUpdates,
  };
}

export function describeLetter(world: World, viewer: Person, letter: Letter): unknown {
  const { media } = letter;
  const file = media && media.kind !== "other" ? world.state.files.get(media.file) : undefined;
  return {
    message_id: letter.ids.get(letter.to.kind === "channel" ? 0 : viewer.id) ?? null,
    from: world.phoneOf(letter.from) ?? null,
    at: new Date(letter.date * 1000).toISOString(),
    kind: kindOf(world, letter),
    text: letter.text,
    entities: letter.entities,
    edited: letter.editDate !== undefined,
    reply_to: letter.replyTo === undefined ? null : idOfReply(world, viewer, letter.replyTo),
    reactions: [...letter.reactions].map(([id, { emoticon }]) => ({
      from: world.phoneOf(id) ?? null,
      emoji: emoticon,
    })),
    grouped_id: letter.groupedId?.toString() ?? null,
    media: media?.kind === "other" ? media.media : null,
    mime_type: file?.mimeType ?? null,
    size: file?.size ?? null,
  };
}

function idOfReply(world: World, viewer: Person, number: number): number | null {
  const target = world.state.letters.get(number);
  return target?.ids.get(target.to.kind === "channel" ? 0 : viewer.id) ?? null;
}

export function describeGroup(world: World, group: Group): unknown {
  return {
    id: markedId(peerOfGroup(group)),
    kind: group.kind === "chat" ? "group" : "supergroup",
    title: group.title,
    username: group.username ?? null,
    creator: world.phoneOf(group.creator) ?? null,
    photo_id: group.photo ?? null,
    pts: group.kind === "channel" ? group.mailbox.pts : null,
    members: membersOf(world, group).map(({ id, phone, firstName }) => ({
      phone,
      first_name: firstName,
      role: group.members.get(id)?.role ?? null,
    })),
  };
}

export function describeFault({
  id,
  kind,
  phone,
  method,
  to,
  errorCode,
  errorText,
  left,
  always,
  hits,
}: Fault): unknown {
  return {
    ...{ id, kind, hits },
    phone: phone ?? null,
    method: method ?? null,
    to: to ?? null,
    error: kind === "error" ? `${errorCode} ${errorText}` : null,
    left: always ? null : left,
  };
}
