import { emptyMailbox, type Mailbox } from "./mailbox.ts";
import type { PeerRef } from "./peer.ts";

/** Somebody's place in a group. */
export interface Member {
  role: "creator" | "admin" | "member";
  readonly invitedBy: number;
  /** Seconds since 1970. */
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
  /** Grows with each change of membership. */
  version: number;
  /** Only administrators write. */
  isReadOnly: boolean;
  /** The supergroup that took its place. */
  migratedTo: number | undefined;
  readonly members: Map<number, Member>;
  /** Those who were removed, and may not come back by themselves. */
  readonly banned: Set<number>;
  /** The messages of a supergroup; those of a small group are in its members' mailboxes. */
  readonly mailbox: Mailbox;
  /** The newest message that somebody other than its author has read. */
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
    mailbox: emptyMailbox(),
    readOutbox: 0,
  };
}

export function peerOfGroup({ kind, id }: Group): PeerRef {
  return { kind, id };
}
