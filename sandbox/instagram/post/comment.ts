import { GraphError } from "../../meta/graph-error.ts";
import { type Account, newId } from "../account/account.ts";
import type { GraphCall } from "../call/call.ts";
import { announce } from "../callback/announce.ts";
import type { World } from "../world.ts";
import type { Comment, OwnPost, Post } from "./post.ts";

/** https://developers.facebook.com/docs/instagram-platform/comment-moderation */
const maxText = 300;
const maxHashtags = 4;
const maxLinks = 1;

/** The text of a comment, within Instagram's limits. */
export function checkCommentText(text: string): string {
  const hashtags = text.match(/#\w+/g)?.length ?? 0;
  const links = text.match(/https?:\/\/\S+/g)?.length ?? 0;
  if ([...text].length > maxText) throw refused(`The comment is longer than ${maxText} characters.`);
  if (hashtags > maxHashtags) throw refused(`The comment has more than ${maxHashtags} hashtags.`);
  if (links > maxLinks) throw refused(`The comment has more than ${maxLinks} link.`);
  return text;
}

function refused(reason: string): GraphError {
  const parts = { status: 400, type: "OAuthException", code: 100 } as const;
  return new GraphError(`(#100) ${reason}`, parts);
}

/** The account comments on a post, or replies to a comment. Its own comments are reported too. */
export function addComment(
  call: GraphCall,
  own: OwnPost,
  parent: Comment | undefined,
  text: string,
): { id: string } {
  const { world, param } = call;
  const { account, post } = own;
  const { comment } = writeComment(
    world,
    { account, post },
    { personId: undefined, parent, text, live: false },
  );
  account.sent.append({
    at: new Date(world.clock.nowMs()).toISOString(),
    type: "comment",
    id: comment.id,
    user: parent?.personId ?? null,
    request: param.values,
  });
  return { id: comment.id };
}

/** There are two levels: a reply to a reply belongs to the top-level comment. */
export function writeComment(
  world: World,
  { account, post }: OwnPost,
  words: { personId: string | undefined; parent: Comment | undefined; text: string; live: boolean },
): { comment: Comment; callbacks: number } {
  const { parent, personId, text, live } = words;
  const comment: Comment = {
    id: newId("178", 17),
    postId: post.id,
    parentId: parent?.parentId ?? parent?.id,
    personId,
    text,
    atMs: world.clock.nowMs(),
    hidden: false,
    deleted: false,
    privatelyReplied: false,
    live,
  };
  world.comments.set(comment.id, comment);
  world.changed();
  const value = commentValue(world, account, post, comment);
  const field = live ? "live_comments" : "comments";
  return { comment, callbacks: announce(world, account, `comments ${post.id}`, { field, value }) };
}

/** https://developers.facebook.com/docs/graph-api/webhooks/reference/instagram/#comments */
function commentValue(world: World, account: Account, post: Post, comment: Comment) {
  const { ad } = post;
  return {
    id: comment.id,
    from: authorOf(world, account, comment),
    media: {
      id: post.id,
      media_product_type: post.productType,
      ...(ad && { ad_id: ad.id, ad_title: ad.title, original_media_id: ad.originalPostId }),
    },
    text: comment.text,
    ...(comment.parentId !== undefined && { parent_id: comment.parentId }),
  };
}

/** The account itself, or a person by their scoped id. */
export function authorOf(
  world: World,
  account: Account,
  { personId }: Comment,
): { id: string; username: string } {
  if (personId === undefined) return { id: account.id, username: account.username };
  const person = world.person(personId);
  return { id: account.conversationWith(person).igsid, username: person.username };
}
