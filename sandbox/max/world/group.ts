import type { Media } from "../media/store.ts";
import type { Account } from "./account.ts";
import { type Place, post, tellChat } from "./posting.ts";

/**
 * Adds or removes people. The platform writes a message about it, and everyone who was or is in the group is
 * notified.
 */
export function changeMembers(
  place: Place,
  change: { operation: "add" | "remove"; members: readonly Account[]; by: Account },
): void {
  const { world, chat } = place;
  const { operation, by } = change;
  const members = change.members.filter(({ id }) => chat.participants.has(id) === (operation === "remove"));
  if (members.length === 0) return;
  if (operation === "add") for (const { id } of members) chat.join(id, world.nowMs());
  const userIds = members.map(({ id }) => id);
  const isOwnStep = members.length === 1 && members[0] === by;
  const event = isOwnStep ? (operation === "add" ? "joinByLink" : "leave") : operation;
  control(place, { by, event, fields: { userIds } });
  if (operation === "remove")
    for (const { id } of members) {
      chat.participants.delete(id);
      chat.admins.delete(id);
    }
  tellChat(place, operation === "remove" ? members : []);
}

export function leave(place: Place, account: Account): void {
  changeMembers(place, { operation: "remove", members: [account], by: account });
}

/** Adds or removes an administrator. */
export function setAdmin(place: Place, member: Account, isAdmin: boolean): void {
  if (isAdmin) place.chat.admins.add(member.id);
  else place.chat.admins.delete(member.id);
  tellChat(place);
}

export function rename(place: Place, { title, by }: { title: string; by: Account }): void {
  if (title !== place.chat.title) {
    place.chat.title = title;
    control(place, { by, event: "title", fields: { title } });
  }
  tellChat(place);
}

/** A new picture. */
export function setPhoto(place: Place, { photo, by }: { photo: Media; by: Account }): void {
  const { chat, world } = place;
  chat.photoToken = photo.token;
  const fields = { photoId: photo.id, baseUrl: world.media.photoUrl(photo) };
  control(place, { by, event: "icon", fields });
  tellChat(place);
}

/** People who do not let this person add them to groups: by their settings, or because they blocked the person. */
export function refuses(invited: Account, by: Account): boolean {
  if (invited.blocks.has(by.id)) return true;
  return invited.inviters === "contacts" && !invited.contacts.has(by.id);
}

/** A message of the platform about the group. */
export function control(
  place: Place,
  { by, event, fields }: { by: Account; event: string; fields: Readonly<Record<string, unknown>> },
): void {
  post(place, { sender: by, text: "", attaches: [{ type: "CONTROL", fields: { event, ...fields } }] });
}
