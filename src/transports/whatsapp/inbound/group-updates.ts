import type { GroupMetadata } from "baileys";
import type { GroupEvent, GroupPerson, MembersEvent } from "../../../core/transport/events.ts";
import { pictureOf } from "../file-token.ts";
import { type ChatName, chatNameOf, parseJid } from "../people/addresses.ts";
import type { People } from "../people/people.ts";
import type { GroupNotice, Somebody } from "./group-notice.ts";

interface Context {
  readonly people: Pick<People, "resolve" | "find">;
  /** The account's own addresses. */
  me(): { readonly id: string; readonly lid?: string | undefined };
}

/** The event for a group notification; null if it names nobody who can be identified. */
export async function toGroupNews(
  { group, id, at, by, change }: GroupNotice,
  { people, me }: Context,
): Promise<GroupEvent | MembersEvent | null> {
  const chat = chatNameOf(parseJid(group));
  if (chat === null) return null;
  const author = by && (await personOf(by, people));
  const about = { ref: { ...chat, externalId: id }, at, ...(author && { by: author }) };
  switch (change.kind) {
    case "title":
      return { kind: "group", ...about, title: change.title };
    case "picture":
      return { kind: "group", ...about, picture: change.isGone ? null : pictureOf(group) };
    case "joined": {
      const own = await personOf({ jid: me().id }, people);
      if (own === undefined) return null;
      return { kind: "members", ...about, title: change.title, members: [{ change: "added", person: own }] };
    }
    case "members": {
      const known = await Promise.all(change.who.map((each) => personOf(each, people)));
      const byId = new Map(known.flatMap((person) => (person === undefined ? [] : [[person.id, person]])));
      // WhatsApp reports only the name of the person who made the change.
      if (author !== undefined && byId.has(author.id)) byId.set(author.id, author);
      const members = [...byId.values()].map((person) => ({ change: change.change, person }));
      // Core knows the group's name, and WhatsApp limits lookups.
      return members.length === 0 ? null : { kind: "members", ...about, title: "", members };
    }
  }
}

/**
 * The event for a looked-up group, whose name may have changed without a notification. Null if the time of the name
 * is missing.
 */
export function seenGroup({ id, subject, subjectTime }: Partial<GroupMetadata>): GroupEvent | null {
  const chat: ChatName | null = chatNameOf(parseJid(id));
  if (chat?.chatType !== "whatsgroup" || !subject || !subjectTime) return null;
  const at = new Date(subjectTime * 1000);
  return {
    kind: "group",
    ref: { ...chat, externalId: `subject:${subjectTime}` },
    at,
    title: subject,
    isSeen: true,
  };
}

async function personOf(
  { jid, alternative, name }: Somebody,
  people: Context["people"],
): Promise<GroupPerson | undefined> {
  const id = chatNameOf(await people.resolve(jid, alternative))?.chatId;
  if (id === undefined) return undefined;
  const phone = id.includes("@") ? {} : { phone: id };
  return { id, name: name || (await people.find(id)).name || id, ...phone };
}
