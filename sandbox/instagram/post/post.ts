import type { Account } from "../account/account.ts";

/** A post, reel, story or advertisement of an account. */
export interface Post {
  readonly id: string;
  readonly accountId: string;
  readonly productType: "FEED" | "REELS" | "STORY" | "AD";
  readonly mediaType: "IMAGE" | "VIDEO" | "CAROUSEL_ALBUM";
  readonly caption: string;
  readonly permalink: string;
  readonly mediaUrl: string;
  readonly thumbnailUrl: string | undefined;
  /** Pictures of an album. */
  readonly children: readonly { readonly id: string; readonly mediaUrl: string }[];
  readonly atMs: number;
  likes: number;
  /** An advertisement that uses the post. */
  readonly ad?: { readonly id: string; readonly title: string; readonly originalPostId: string };
  deleted: boolean;
}

/** A comment below a post, or below another comment. */
export interface Comment {
  readonly id: string;
  readonly postId: string;
  readonly parentId: string | undefined;
  /** Undefined: the account itself. */
  readonly personId: string | undefined;
  readonly text: string;
  readonly atMs: number;
  hidden: boolean;
  deleted: boolean;
  /** The account has answered it in private, which is allowed once. */
  privatelyReplied: boolean;
  /** Written while the account was live. */
  readonly live: boolean;
}

/** A post with its account. */
export interface OwnPost {
  readonly account: Account;
  readonly post: Post;
}

/** `2026-11-01T10:00:00+0000` */
export function graphTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+0000`;
}
