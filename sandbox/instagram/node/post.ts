import { page } from "../../meta/paging.ts";
import type { Account } from "../account/account.ts";
import { type EdgeTable, fieldsOf, type GraphCall, needScope } from "../call/call.ts";
import { type Node, nested, nestedList, pickFields } from "../call/field-tree.ts";
import { addComment, checkCommentText } from "../post/comment.ts";
import { graphTime, type OwnPost, type Post } from "../post/post.ts";
import type { World } from "../world.ts";
import { commentNode } from "./comment.ts";

export const postEdges: EdgeTable<OwnPost> = {
  "GET ": (call, { account, post }) => {
    needScope(call, "basic");
    call.param.only("fields");
    return pickFields(postNode(call.world, account, post), fieldsOf(call));
  },
  "GET children": (call, { post }) => {
    needScope(call, "basic");
    call.param.only("fields");
    return { data: post.children.map((child) => pickFields(childNode(child), fieldsOf(call))) };
  },
  "GET comments": (call, { account, post }) => {
    needScope(call, "comments");
    const { param, world } = call;
    param.only("fields", "limit", "after", "before");
    const top = world.commentsOf(post).filter(({ parentId }) => parentId === undefined);
    const nodes = top.reverse().map((comment) => commentNode(world, account, comment));
    const fields = fieldsOf(call) ?? "timestamp,text,id";
    return page(
      nodes.map((node) => pickFields(node, fields)),
      param,
      `${world.url()}/${post.id}/comments`,
    );
  },
  "POST comments": (call: GraphCall, own) => {
    needScope(call, "comments");
    call.param.only("message");
    return addComment(call, own, undefined, checkCommentText(call.param.needText("message")));
  },
};

/** https://developers.facebook.com/docs/instagram-platform/reference/instagram-media */
export function postNode(world: World, account: Account, post: Post): Node {
  const comments = world.commentsOf(post);
  return {
    type: "Media",
    defaults: [],
    fields: {
      id: post.id,
      caption: post.caption || undefined,
      media_type: post.mediaType,
      media_product_type: post.productType,
      media_url: post.mediaUrl,
      thumbnail_url: post.thumbnailUrl,
      permalink: post.permalink,
      ig_id: post.id.slice(-10),
      shortcode: post.permalink.split("/").at(-2),
      timestamp: graphTime(post.atMs),
      username: account.username,
      like_count: post.likes,
      comments_count: comments.length,
      is_comment_enabled: true,
      owner: nested({ type: "IGUser", defaults: [], fields: { id: account.id, username: account.username } }),
      children: post.mediaType === "CAROUSEL_ALBUM" ? nestedList(post.children.map(childNode)) : undefined,
      comments: nestedList(comments.map((comment) => commentNode(world, account, comment))),
    },
  };
}

function childNode({ id, mediaUrl }: Post["children"][number]): Node {
  return {
    type: "Media",
    defaults: [],
    fields: { id, media_url: mediaUrl, media_type: "IMAGE", thumbnail_url: undefined },
  };
}
