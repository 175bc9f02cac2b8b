import type { Dialog } from "../chat/dialog.ts";
import type { Community } from "../community.ts";
import type { User } from "../shape.ts";
import type { World } from "../world.ts";

/** A person in a conversation of the community: their own, or a chat. */
export interface Seat {
  readonly world: World;
  readonly community: Community;
  readonly user: User;
  readonly dialog: Dialog;
}
