import type { tl } from "@mtcute/core";
import { renderChange, renderGroupChange, wrapUpdates } from "../render/updates.ts";
import type { Call } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { needMember } from "../rpc/peer.ts";
import { groupOf } from "../world/directory.ts";
import type { Group } from "../world/group.ts";
import type { Actor } from "../world/membership.ts";
import type { Posted } from "../world/post.ts";

/** The caller as the one who changes a group. */
export function actor({ person, session }: Call): Actor {
  return { by: person, origin: session };
}

/** Checks that the caller may change a group. */
export function needAdmin(call: Call, group: Group): void {
  needMember(call, group);
  if (group.members.get(call.person.id)?.role === "member") throw bad("CHAT_ADMIN_REQUIRED");
}

/** The service message about a change, as updates for the client that caused it. */
export function updatesOf({ world, person }: Call, posted: Posted | undefined): tl.RawUpdates {
  if (!posted) return wrapUpdates(world, person, []);
  const group = groupOf(world, posted.letter.to);
  const update =
    group?.kind === "channel"
      ? renderGroupChange(world, person, { group, change: posted.change })
      : renderChange(world, person, posted.change);
  return wrapUpdates(world, person, update ? [update] : []);
}
