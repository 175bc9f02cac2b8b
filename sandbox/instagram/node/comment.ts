import { badParam } from "../../meta/graph-error.ts";
import { page } from "../../meta/paging.ts";
import type { Account } from "../account/account.ts";
import { type EdgeTable, fieldsOf, type GraphCall, needScope } from "../call/call.ts";
import { type Node, nested, nestedList, pickFields } from "../call/field-tree.ts";
import { permissionMissing } from "../call/graph-refusal.ts";
import { addComment, authorOf, checkCommentText } from "../post/comment.ts";
import type { Comment } from "../post/post.ts";
import { graphTime, type OwnPost } from "../post/post.ts";
import type { World } from "../world.ts";

/** A comment on a post of the account. */
interface OwnComment extends OwnPost {
  readonly comment: Comment;
}

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-comment */
export const commentEdges: EdgeTable<OwnComment> = {
  "GET ": (call, { account, comment }) => {
    needScope(call, "comments");
    call.param.only("fields");
    return pickFields(commentNode(call.world, account, comment), fieldsOf(call));
  },
  "POST ": (call, { account, comment }) => {
    needScope(call, "comments");
    call.param.only("hide");
    const hide = call.param.flag("hide");
    if (hide === undefined) throw badParam("The parameter hide is required.");
    comment.hidden = hide;
    note(call, account, "hide", comment);
    return { success: true };
  },
  "DELETE ": (call, { account, comment }) => {
    needScope(call, "comments");
    comment.deleted = true;
    note(call, account, "deletion", comment);
    return { success: true };
  },
  "GET replies": (call, { account, comment, post }) => {
    needScope(call, "comments");
    const { param, world } = call;
    param.only("fields", "limit", "after", "before");
    const replies = world.commentsOf(post).filter(({ parentId }) => parentId === comment.id);
    const fields = fieldsOf(call) ?? "timestamp,text,id";
    const nodes = replies.map((reply) => pickFields(commentNode(world, account, reply), fields));
    return page(nodes, param, `${world.url()}/${comment.id}/replies`);
  },
  "POST replies": (call, { account, comment, post }) => {
    needScope(call, "comments");
    call.param.only("message");
    const text = checkCommentText(call.param.needText("message"));
    if (comment.hidden) throw permissionMissing("the comment is hidden");
    return addComment(call, { account, post }, comment, text);
  },
};

function note({ world, param }: GraphCall, account: Account, type: string, comment: Comment): void {
  const at = new Date(world.clock.nowMs()).toISOString();
  account.sent.append({ at, type, id: comment.id, user: comment.personId ?? null, request: param.values });
  world.changed();
}

export function commentNode(world: World, account: Account, comment: Comment): Node {
  const from = authorOf(world, account, comment);
  const replies = [...world.comments.values()].filter(
    ({ parentId, deleted }) => parentId === comment.id && !deleted,
  );
  return {
    type: "IGComment",
    defaults: ["timestamp", "text"],
    fields: {
      id: comment.id,
      text: comment.text,
      timestamp: graphTime(comment.atMs),
      username: from.username,
      from,
      hidden: comment.hidden,
      like_count: 0,
      parent_id: comment.parentId,
      media: nested({
        type: "Media",
        defaults: [],
        fields: { id: comment.postId, media_product_type: world.posts.get(comment.postId)?.productType },
      }),
      user: comment.personId === undefined ? { id: account.id } : undefined,
      replies: nestedList(replies.map((reply) => commentNode(world, account, reply))),
    },
  };
}
