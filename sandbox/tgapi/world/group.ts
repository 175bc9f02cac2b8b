import { emptyMailbox, type Mailbox } from "./mailbox.ts";
import type { PeerRef } from "./peer.ts";

/** A member of a group. */
export interface Member {
  role: "creator" | "admin" | "member";
  readonly invitedBy: number;
  /** Unix seconds. */
  readonly date: number;
}

/** A small group (`chat`) or a supergroup (`channel`). Plain data, kept over restarts. */
export interface Group {
  readonly kind: "chat" | "channel";
  readonly id: number;
  title: string;
  readonly creator: number;
  readonly date: number;
  username: string | undefined;
  photo: string | undefined;
  /** Incremented with each change of membership. */
  version: number;
  /** Only administrators write. */
  isReadOnly: boolean;
  /** The supergroup that replaced it. */
  migratedTo: number | undefined;
  readonly members: Map<number, Member>;
  /** People who were removed and cannot rejoin by themselves. */
  readonly banned: Set<number>;
  /** People who left by themselves: only mutual contacts may add them again. */
  readonly left: Set<number>;
  /** The messages of a supergroup; those of a small group are in its members' mailboxes. */
  readonly mailbox: Mailbox;
  /** The newest message that anyone but its author has read. */
  readOutbox: number;
}

export function newGroup(setup: Pick<Group, "kind" | "id" | "title" | "creator" | "date">): Group {
  return {
    ...setup,
    username: undefined,
    photo: undefined,
    version: 1,
    isReadOnly: false,
    migratedTo: undefined,
    members: new Map(),
    banned: new Set(),
    left: new Set(),
    mailbox: emptyMailbox(),
    readOutbox: 0,
  };
}

export function peerOfGroup({ kind, id }: Group): PeerRef {
  return { kind, id };
}
