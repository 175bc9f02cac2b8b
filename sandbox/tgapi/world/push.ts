import type { tl } from "@mtcute/core";
import type { Session } from "../mtproto/session.ts";
import { newUpdate } from "../render/novelty.ts";
import { renderChange, renderGroupChange, shortMessage, wrapUpdates } from "../render/updates.ts";
import { membersOf } from "./directory.ts";
import type { Group } from "./group.ts";
import type { Letter } from "./letter.ts";
import type { Change } from "./mailbox.ts";
import type { Person } from "./person.ts";
import type { World } from "./world.ts";

/** Sends updates to every client of an account but the one that caused them. */
export function pushUpdates(world: World, person: Person, updates: tl.TypeUpdates, origin?: Session): void {
  const others = world.sessionsOf(person.id).filter((session) => session !== origin);
  if (others.length === 0 || world.takeLoss(person.id)) return;
  const news = newUpdate(world, world.pushes++);
  if (news) for (const session of others) session.push(wrapUpdates(world, person, [news]));
  for (const session of others) session.push(updates);
}

/**
 * Notifies an account's clients of a change of its mailbox. `short`: a message that may be sent in the short form.
 */
export function pushChange(
  world: World,
  person: Person,
  {
    change,
    origin,
    short,
  }: { readonly change: Change; readonly origin?: Session | undefined; readonly short?: Letter },
): void {
  if (world.sessionsOf(person.id).length === 0) return;
  const brief = short && shortMessage(world, person, { letter: short, change });
  const update = brief ? undefined : renderChange(world, person, change);
  if (brief) pushUpdates(world, person, brief, origin);
  else if (update) pushUpdates(world, person, wrapUpdates(world, person, [update]), origin);
}

/** Notifies the clients of all members of a change of a supergroup. */
export function pushGroupChange(world: World, group: Group, change: Change, origin?: Session): void {
  for (const person of membersOf(world, group)) {
    if (world.sessionsOf(person.id).length === 0) continue;
    const update = renderGroupChange(world, person, { group, change });
    if (update) pushUpdates(world, person, wrapUpdates(world, person, [update]), origin);
  }
}

/** An update outside any order, such as a typing notification. */
export function pushPassing(world: World, person: Person, update: tl.TypeUpdate): void {
  pushUpdates(world, person, wrapUpdates(world, person, [update]));
}
