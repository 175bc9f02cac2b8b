import { isMedia } from "../attach/attach.ts";
import type { Fault } from "../fault.ts";
import type { Account, Session } from "../world/account.ts";
import type { Chat, Message } from "../world/chat.ts";
import { kindOf } from "../world/posting.ts";
import type { World } from "../world/world.ts";

/** Formats of the admin API: field names in snake_case, long numbers as text. */

export function describePerson(account: Account): object {
  const { id, phone, name, password, isBlocked, restrictedUntilMs, sessions, blocks, contacts } = account;
  const { inviters } = account;
  return {
    user_id: id,
    phone,
    name,
    has_password: password !== undefined,
    blocked: isBlocked,
    inviters,
    restricted_until: restrictedUntilMs === 0 ? null : new Date(restrictedUntilMs).toISOString(),
    sessions: sessions.size,
    online: [...sessions.values()].some(({ connection }) => connection !== undefined),
    blocks: [...blocks],
    contacts: [...contacts],
  };
}

export function describeSession({
  number,
  account,
  deviceId,
  client,
  createdMs,
  connection,
}: Session): object {
  return {
    session: number,
    phone: account.phone,
    device_id: deviceId,
    client,
    created_at: new Date(createdMs).toISOString(),
    online: connection !== undefined,
    codec: connection?.codecName ?? null,
  };
}

export function describeGroup(world: World, chat: Chat): object {
  const phones = [...chat.participants.keys()].map((id) => world.accounts.get(id)?.phone ?? String(id));
  return {
    id: String(chat.id),
    title: chat.title ?? null,
    description: chat.description ?? null,
    link: chat.link ?? null,
    photo_token: chat.photoToken ?? null,
    participants: phones,
    admins: [...chat.admins].map((id) => world.accounts.get(id)?.phone ?? String(id)),
  };
}

export function describeMessage(world: World, chat: Chat, message: Message): object {
  const { id, time, sender, cid, text, elements, status, updateTime, link, reactions, attaches } = message;
  const phoneOf = (person: number) => world.accounts.get(person)?.phone ?? String(person);
  const files = attaches.map((attach) => {
    if (!isMedia(attach)) return { type: attach.type, ...attach.fields };
    const { name, mime, size } = world.media.get(attach.mediaId);
    const { type, duration, videoType } = attach;
    return { type, file_id: attach.mediaId, name, mime_type: mime, size, duration, video_type: videoType };
  });
  const readBy = [...chat.participants].filter(([person, { mark }]) => person !== sender && mark >= time);
  return {
    message_id: String(id),
    chat_id: String(chat.id),
    from: phoneOf(sender),
    cid: cid ?? null,
    kind: kindOf(message),
    text,
    elements,
    attaches: files,
    status: status ?? null,
    time,
    update_time: updateTime ?? null,
    link: link ? { type: link.type, message_id: String(link.messageId) } : null,
    reactions: Object.fromEntries([...reactions].map(([person, emoji]) => [phoneOf(person), emoji])),
    read_by: readBy.map(([person]) => phoneOf(person)),
  };
}

export function describeFault(fault: Fault): object {
  const { id, opcode, phone, chatId, error, message, hangMs, drop, silent, forge, left, always, hits } =
    fault;
  return {
    id,
    opcode: opcode ?? null,
    phone: phone ?? null,
    chat_id: chatId ?? null,
    error: error ?? null,
    message: message ?? null,
    hang_ms: hangMs ?? null,
    drop: drop ?? null,
    silent: silent ?? null,
    forge: forge ?? null,
    left: always ? null : left,
    hits,
  };
}
