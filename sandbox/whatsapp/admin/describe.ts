import { fileOf, summarize, unwrap } from "../chat/content.ts";
import type { StoredMessage } from "../chat/conversation.ts";
import type { Fault } from "../fault.ts";
import type { Group } from "../group.ts";
import type { Companion, Person } from "../person/person.ts";
import type { World } from "../world.ts";

export function describePerson(person: Person): unknown {
  return {
    phone: person.phone,
    lid: person.lid,
    name: person.name,
    about: person.about.text,
    jid: person.jid,
    aliases: person.aliases,
    behaviour: person.behaviour,
    restricted_until:
      person.restrictedUntilMs === undefined ? null : new Date(person.restrictedUntilMs).toISOString(),
    absent_since: person.absentSinceMs === undefined ? null : new Date(person.absentSinceMs).toISOString(),
    blocked: [...person.blocked],
    chats: [...person.chats.keys()],
    devices: [...person.companions.values()].map(describeDevice),
    inbox_total: person.inbox.lastSeq,
  };
}

export function describeDevice(companion: Companion): unknown {
  return {
    device: companion.device,
    jid: companion.jid,
    lid: companion.lid,
    online: companion.isOnline,
    ready: companion.isReady,
    pre_keys: companion.preKeys.size,
    /** Stanzas that it has not confirmed. */
    pending: companion.unconfirmed.length,
  };
}

export function describeMessage(message: StoredMessage): unknown {
  const { id, from, atMs, kind, text, edited, deleted, reactions, readBy, content } = message;
  return {
    message_id: id,
    from,
    at: new Date(atMs).toISOString(),
    kind,
    text,
    edited,
    deleted,
    reactions: Object.fromEntries(reactions),
    read_by: [...readBy],
    mime_type: fileOf(content)?.part.mimetype ?? null,
    quoted_id: summarize(content).quotedId,
    details: detailsOf(content),
  };
}

/** Details of a contact card, location, poll or document besides its text. */
function detailsOf(content: StoredMessage["content"]): unknown {
  const plain = unwrap(content);
  const place = plain.locationMessage ?? plain.liveLocationMessage;
  const poll = plain.pollCreationMessage ?? plain.pollCreationMessageV2 ?? plain.pollCreationMessageV3;
  const vcard = plain.contactMessage?.vcard ?? plain.contactsArrayMessage?.contacts?.[0]?.vcard;
  const name = plain.documentMessage?.fileName;
  return {
    ...(place && { latitude: place.degreesLatitude, longitude: place.degreesLongitude }),
    ...(poll && { options: poll.options?.map(({ optionName }) => optionName) }),
    ...(typeof vcard === "string" && { vcard }),
    ...(typeof name === "string" && { name }),
  };
}

export function describeGroup(world: World, group: Group): unknown {
  return {
    id: group.id,
    subject: group.subject,
    description: group.description ?? null,
    creator: group.creator,
    picture: group.picture ?? null,
    participants: world
      .membersOf(group)
      .map(({ phone, name }) => ({ phone, name, rank: group.members.get(phone) ?? null })),
  };
}

export function describeFault({ id, phone, to, xmlns, what, errorCode, left, always, hits }: Fault): unknown {
  return {
    id,
    phone: phone ?? null,
    to: to ?? null,
    xmlns: xmlns ?? null,
    what: what ?? null,
    error_code: errorCode ?? null,
    left: always ? null : left,
    hits,
  };
}
