import type { tl } from "@mtcute/core";

/** The recipient of a message: a person, a small group, or a supergroup. */
export interface PeerRef {
  readonly kind: "user" | "chat" | "channel";
  readonly id: number;
}

/** The offset of supergroups in marked ids. */
const channelMark = 1_000_000_000_000;

export function keyOfPeer({ kind, id }: PeerRef): string {
  return `${kind}${id}`;
}

export function samePeer(one: PeerRef, other: PeerRef): boolean {
  return one.kind === other.kind && one.id === other.id;
}

/** One number for every peer: people positive, small groups negative, supergroups below -10^12. */
export function markedId({ kind, id }: PeerRef): number {
  if (kind === "user") return id;
  return kind === "chat" ? -id : -channelMark - id;
}

export function peerOfMarkedId(marked: number): PeerRef {
  if (marked >= 0) return { kind: "user", id: marked };
  if (marked > -channelMark) return { kind: "chat", id: -marked };
  return { kind: "channel", id: -marked - channelMark };
}

export function toTlPeer({ kind, id }: PeerRef): tl.TypePeer {
  if (kind === "user") return { _: "peerUser", userId: id };
  return kind === "chat" ? { _: "peerChat", chatId: id } : { _: "peerChannel", channelId: id };
}
