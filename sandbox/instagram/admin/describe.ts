import type { StoredMessage } from "../account/conversation.ts";
import type { Comment, Post } from "../post/post.ts";

/** A message as the admin API shows it. */
export function describeMessage(message: StoredMessage): object {
  const {
    mid,
    direction,
    atMs,
    text,
    attachments,
    replyTo,
    buttons,
    edits,
    unsent,
    reaction,
    ownReaction,
    seen,
  } = message;
  return {
    mid,
    direction,
    at: atMs,
    text: text ?? null,
    attachments,
    reply_to: replyTo ?? null,
    buttons,
    edits,
    unsent,
    reaction: reaction ?? null,
    own_reaction: ownReaction ?? null,
    seen,
  };
}

export function describePost(post: Post): object {
  return {
    id: post.id,
    account_id: post.accountId,
    product_type: post.productType,
    media_type: post.mediaType,
    caption: post.caption,
    permalink: post.permalink,
    media_url: post.mediaUrl,
    thumbnail_url: post.thumbnailUrl ?? null,
    children: post.children.map(({ id, mediaUrl }) => ({ id, media_url: mediaUrl })),
    at: post.atMs,
    likes: post.likes,
    deleted: post.deleted,
  };
}

export function describeComment(comment: Comment): object {
  return {
    id: comment.id,
    media_id: comment.postId,
    parent_id: comment.parentId ?? null,
    user_id: comment.personId ?? null,
    text: comment.text,
    at: comment.atMs,
    hidden: comment.hidden,
    deleted: comment.deleted,
    privately_replied: comment.privatelyReplied,
    live: comment.live,
  };
}
