import type { tl } from "@mtcute/core";
import type Long from "long";
import type { PeerRef } from "./peer.ts";

/** The media of a message. Files are referred to by their key in the file store. */
export type Media =
  | { readonly kind: "photo"; readonly file: string }
  | { readonly kind: "document"; readonly file: string }
  | { readonly kind: "other"; readonly media: tl.TypeMessageMedia };

/** A message, of which each participant has a copy. Plain data, kept over restarts. */
export interface Letter {
  readonly number: number;
  readonly from: number;
  /** The peer it was written to. */
  readonly to: PeerRef;
  /** Unix seconds. */
  readonly date: number;
  editDate: number | undefined;
  text: string;
  entities: readonly tl.TypeMessageEntity[];
  media: Media | undefined;
  markup: tl.TypeReplyMarkup | undefined;
  /** A service message. */
  readonly action: tl.TypeMessageAction | undefined;
  /** The quoted message. */
  readonly replyTo: number | undefined;
  readonly groupedId: Long | undefined;
  readonly silent: boolean;
  /** By account; one for each. */
  readonly reactions: Map<number, { readonly emoticon: string; readonly date: number }>;
  /** Its id in each mailbox: by account, or 0 for that of the supergroup. */
  readonly ids: Map<number, number>;
}

/** A message before it has an id. */
export interface Draft {
  readonly from: number;
  readonly to: PeerRef;
  readonly text?: string;
  readonly entities?: readonly tl.TypeMessageEntity[];
  readonly media?: Media | undefined;
  readonly markup?: tl.TypeReplyMarkup | undefined;
  readonly action?: tl.TypeMessageAction;
  readonly replyTo?: number | undefined;
  readonly groupedId?: Long | undefined;
  readonly silent?: boolean;
  /** Unix seconds; default now. */
  readonly date?: number | undefined;
}

export function newLetter(number: number, draft: Draft, now: number): Letter {
  return {
    number,
    from: draft.from,
    to: draft.to,
    date: draft.date ?? now,
    editDate: undefined,
    text: draft.text ?? "",
    entities: draft.entities ?? [],
    media: draft.media,
    markup: draft.markup,
    action: draft.action,
    replyTo: draft.replyTo,
    groupedId: draft.groupedId,
    silent: draft.silent ?? false,
    reactions: new Map(),
    ids: new Map(),
  };
}

/** The conversation it belongs to, for one of the participants. */
export function dialogOf({ from, to }: Letter, viewer: number): PeerRef {
  return to.kind === "user" && to.id === viewer ? { kind: "user", id: from } : to;
}
