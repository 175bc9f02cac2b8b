import type { Attachment } from "../content.ts";
import type { ChatType } from "../transport/definition.ts";
import type { GroupRefusal } from "../transport/errors.ts";
import type { Group, GroupChange, NewGroup, PersonOutcome } from "../transport/groups.ts";

/** What the node of a channel's session is asked to do: the body of a session request. */
export type GroupCall =
  | { readonly kind: "create"; readonly request: NewGroup }
  | { readonly kind: "read"; readonly chatId: string }
  | { readonly kind: "change"; readonly chatId: string; readonly changes: readonly WantedChange[] };

/** A change whose picture, if it has one, is not fetched yet. */
export type WantedChange =
  | Exclude<GroupChange, { kind: "picture" }>
  | { readonly kind: "picture"; readonly picture: Attachment | null };

export interface CreatedAnswer {
  readonly kind: "created";
  readonly group: Group;
  readonly people: readonly PersonOutcome[];
}

/** What became of the people of one change. */
export interface DoneChange {
  readonly change: GroupChange["kind"];
  readonly people: readonly PersonOutcome[];
}

/**
 * What that node answers. `done`: changes that were made before the one that failed.
 * - `refused`: by the messenger
 * - `limited`: by pacing; `retryAfterMs` null: not on this day's allowance, however long the client waits
 * - `picture`: it could not be fetched, or is not as the messenger demands; `isTemporary`: its host may have it later
 * - `failed`: certainly without an effect
 * - `unknown`: perhaps with one
 */
export type GroupAnswer =
  | CreatedAnswer
  | { readonly kind: "read"; readonly group: Group }
  | { readonly kind: "changed"; readonly done: readonly DoneChange[] }
  | (GroupFailure & { readonly done?: readonly DoneChange[] });

export type GroupFailure =
  | {
      readonly kind: "refused";
      readonly reason: GroupRefusal;
      readonly description: string;
      readonly data?: string | undefined;
    }
  | { readonly kind: "limited"; readonly reason: GroupLimit; readonly retryAfterMs: number | null }
  | { readonly kind: "picture"; readonly description: string; readonly isTemporary: boolean }
  | { readonly kind: "failed"; readonly description: string; readonly retryAfterMs: number }
  | { readonly kind: "unknown" };

/**
 * `allowance`: more strangers and new groups than the channel's first contacts of a day. `cooldown`: the messenger has
 * warned. `paused`: it asked the channel to wait. `stopped`: by an operator.
 */
export type GroupLimit = "allowance" | "cooldown" | "paused" | "stopped";

/** A group in the interface. */
export interface GroupKey {
  readonly channelId: string;
  readonly chatType: ChatType;
  readonly chatId: string;
}
