import type { tl } from "@mtcute/core";
import Long from "long";
import { defined } from "../defined.ts";
import { accessHash } from "../world/access.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";

/**
 * An account as another one sees it: with its own access hash, the name from its contacts, and the number if it may
 * know it.
 */
export function renderUser(world: World, viewer: Person, person: Person): tl.RawUser {
  const { id } = person;
  const isSelf = id === viewer.id;
  const contact = viewer.contacts.get(id);
  const base = { _: "user", id, accessHash: accessHash(world, viewer, { kind: "user", id }) } as const;
  if (person.status === "deactivated") return { ...base, deleted: true };
  return {
    ...base,
    self: isSelf,
    contact: contact !== undefined,
    mutualContact: contact !== undefined && person.contacts.has(viewer.id),
    bot: person.isBot,
    firstName: contact?.firstName ?? person.firstName,
    ...defined({
      lastName: contact ? contact.lastName || undefined : person.lastName,
      username: person.username,
      phone: isSelf || contact || !person.hidesPhone ? phoneOf(person) : undefined,
      photo: person.photo === undefined ? undefined : profilePhoto(world, person.photo),
      botInfoVersion: person.isBot ? 1 : undefined,
    }),
    status: { _: "userStatusRecently" },
  };
}

function phoneOf({ isBot, phone }: Person): string | undefined {
  return isBot ? undefined : phone;
}

function profilePhoto(world: World, file: string): tl.RawUserProfilePhoto {
  return {
    _: "userProfilePhoto",
    photoId: Long.fromString(file),
    dcId: world.state.files.get(file)?.dc ?? 2,
  };
}
