import type { GroupMetadata } from "baileys";
import {
  type Group,
  type GroupMember,
  type GroupRole,
  MAX_GROUP_MEMBERS,
} from "../../../core/transport/groups.ts";
import { chatNameOf, parseJid } from "../people/addresses.ts";
import type { People } from "../people/people.ts";

/** A group as WhatsApp lists it. */
export type ListedGroup = Pick<GroupMetadata, "id" | "subject" | "size" | "participants">;
type ListedMember = GroupMetadata["participants"][number];

interface Context {
  readonly people: Pick<People, "resolve" | "findAll">;
  /** The account's own addresses. */
  readonly me: readonly (string | undefined)[];
}

/** A group as core knows it. Members that cannot be identified are left out. */
export async function toGroup(
  { id, subject, size, participants }: ListedGroup,
  { people, me }: Context,
): Promise<Group> {
  const own = new Set(me.flatMap((jid) => chatNameOf(parseJid(jid))?.chatId ?? []));
  const listed = participants.slice(0, MAX_GROUP_MEMBERS);
  const ids = await Promise.all(listed.map((member) => idOf(member, people)));
  const known = await people.findAll(ids.flatMap((each) => each ?? []));
  const members = listed.flatMap((member, index): GroupMember[] => {
    const id = ids[index];
    if (id === undefined) return [];
    const isOwn = [id, ...addressesOf(member)].some((each) => own.has(each));
    return [
      {
        id,
        name: known.get(id)?.name ?? "",
        ...(id.includes("@") ? {} : { phone: id }),
        role: roleOf(member),
        ...(isOwn && { isOwn: true as const }),
      },
    ];
  });
  return {
    chatId: chatNameOf(parseJid(id))?.chatId ?? id,
    name: subject ?? "",
    size: size ?? participants.length,
    members,
  };
}

function addressesOf({ id, phoneNumber, lid }: ListedMember): string[] {
  return [id, phoneNumber, lid].flatMap((jid) => chatNameOf(parseJid(jid))?.chatId ?? []);
}

async function idOf(
  { id, phoneNumber }: ListedMember,
  people: Pick<People, "resolve">,
): Promise<string | undefined> {
  return chatNameOf(await people.resolve(id, phoneNumber))?.chatId;
}

function roleOf({ admin }: ListedMember): GroupRole {
  if (admin === "superadmin") return "owner";
  return admin === "admin" ? "admin" : "member";
}
