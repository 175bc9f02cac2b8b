import { badParam, noSuchObject } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import type { Account } from "../account/account.ts";
import { type Conversation, newMid, type StoredMessage } from "../account/conversation.ts";
import { type GraphCall, needScope } from "../call/call.ts";
import {
  alreadyReplied,
  commentNotEligible,
  personNotFound,
  personUnavailable,
  rateLimited,
  threadDeleted,
  windowClosed,
} from "../call/graph-refusal.ts";
import { announce, envelope } from "../callback/announce.ts";
import type { Comment } from "../post/post.ts";
import type { World } from "../world.ts";
import { type MessageContent, readContent } from "./content.ts";

const hourMs = 60 * 60 * 1000;
/** How long after the person's last message ordinary messages may be sent; a human agent has longer. */
const windowMs = 24 * hourMs;
const agentWindowMs = 7 * 24 * hourMs;
/** How long a comment can be answered in private; on live video, only while the account is live. */
const privateReplyMs = 7 * 24 * hourMs;

const senderActions = ["typing_on", "typing_off", "mark_seen", "react", "unreact"] as const;

/** `POST /{page}/messages`, or `/{account}/messages` with Instagram Login. */
export async function postMessage(call: GraphCall, account: Account): Promise<unknown> {
  needScope(call, "messages");
  const { param, world } = call;
  param.only("recipient", "message", "messaging_type", "tag", "sender_action", "payload", "reply_to");
  const recipient = param.needObject("recipient").only("id", "comment_id");
  const commentId = recipient.text("comment_id");
  if (commentId !== undefined) return replyPrivately(call, account, commentId);
  const conversation = findConversation(account, recipient.needText("id"));
  if (param.has("sender_action")) return act(call, account, conversation);
  const message = param.needObject("message");
  checkWindow(call, conversation);
  const content = await readContent(call, account, message);
  if (!world.limiter.take(account.id, content.isHeavy ? "media" : "text")) throw rateLimited(613);
  const replyTo = readReplyTo(call, conversation);
  const sent = deliver(world, { account, conversation }, "out", { ...content, ...replyTo });
  noteSent(call, account, { type: "message", id: sent.mid, user: conversation.person.id });
  return {
    recipient_id: conversation.igsid,
    message_id: sent.mid,
    ...(content.attachmentId !== undefined && { attachment_id: content.attachmentId }),
  };
}

function findConversation(account: Account, igsid: string): Conversation {
  const conversation = account.byIgsid(igsid);
  if (!conversation) throw personNotFound();
  if (conversation.deleted) throw threadDeleted();
  if (conversation.blocked) throw personUnavailable();
  return conversation;
}

/** 24 hours, or seven days with the tag of a human agent. */
function checkWindow({ param, world }: GraphCall, { lastInboundMs }: Conversation): void {
  const type = param.text("messaging_type") ?? "RESPONSE";
  const tag = param.text("tag");
  if (!["RESPONSE", "UPDATE", "MESSAGE_TAG"].includes(type))
    throw badParam(`Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG} - got "${type}".`);
  if (type === "MESSAGE_TAG" && tag === undefined) throw badParam("The parameter tag is required.");
  if (tag !== undefined && tag !== "HUMAN_AGENT")
    throw badParam(`Param tag must be one of {HUMAN_AGENT} - got "${tag}".`);
  const sinceMs = world.clock.nowMs() - (lastInboundMs ?? Number.NEGATIVE_INFINITY);
  if (sinceMs >= (tag === undefined ? windowMs : agentWindowMs)) throw windowClosed();
}

function readReplyTo({ param, world }: GraphCall, conversation: Conversation) {
  const replyTo = param.object("reply_to");
  if (!replyTo) return {};
  if (world.settings.replyTo === "refused") throw badParam('Unexpected key "reply_to" on param "message".');
  const mid = replyTo.only("mid").needText("mid");
  if (!conversation.get(mid)) throw badParam("Invalid reply_to mid");
  return { replyTo: { mid } };
}

/** Stores the business's message and reports it, like all messages of the account. */
export function deliver(
  world: World,
  { account, conversation }: { readonly account: Account; readonly conversation: Conversation },
  direction: "out" | "echo",
  content: Pick<MessageContent, "text" | "attachments" | "buttons"> & {
    readonly replyTo?: { readonly mid: string };
  },
): StoredMessage & { readonly callbacks: number } {
  const { text, attachments, buttons, replyTo } = content;
  const message: StoredMessage = {
    mid: newMid(),
    direction,
    atMs: world.clock.nowMs(),
    text,
    attachments,
    buttons,
    ...(replyTo && { replyTo }),
    edits: 0,
    unsent: false,
    reaction: undefined,
    ownReaction: undefined,
    seen: false,
  };
  conversation.put(message);
  conversation.deleted = false;
  world.changed();
  const echo = {
    mid: message.mid,
    is_echo: true,
    ...(text !== undefined && { text }),
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo && { reply_to: replyTo }),
  };
  const messaging = { ...envelope(world, account, conversation, "account"), message: echo };
  const callbacks = announce(world, account, conversation.igsid, { field: "messages", messaging });
  return Object.assign(message, { callbacks });
}

/** Typing indicator, read mark, reaction. */
function act(call: GraphCall, account: Account, conversation: Conversation): unknown {
  const { param } = call;
  const action = param.needOneOf("sender_action", senderActions);
  const isReaction = action === "react" || action === "unreact";
  if (isReaction) setReaction(param.needObject("payload"), action, conversation);
  if (action === "mark_seen") markSeen(conversation);
  const type = isReaction ? "reaction" : action === "mark_seen" ? "read" : "typing";
  noteSent(call, account, { type, id: null, user: conversation.person.id });
  return { recipient_id: conversation.igsid };
}

/**
 * https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api: the only
 * reaction is `love`. Reactions of the account are not reported by webhook.
 */
function setReaction(payload: Param, action: "react" | "unreact", conversation: Conversation): void {
  payload.only("message_id", "reaction");
  const message = conversation.get(payload.needText("message_id"));
  if (!message) throw badParam("Invalid message_id");
  const reaction = action === "react" ? payload.needText("reaction") : undefined;
  if (reaction !== undefined && reaction !== "love") throw badParam("Invalid reaction");
  message.ownReaction = reaction;
}

function markSeen(conversation: Conversation): void {
  for (const message of conversation.newest()) if (message.direction === "in") message.seen = true;
}

/** Once per comment, within seven days. Does not open the window. */
async function replyPrivately(call: GraphCall, account: Account, commentId: string): Promise<unknown> {
  const { param, world } = call;
  const comment = eligibleComment(world, account, commentId);
  if (!world.limiter.take(account.id, "privateReplies")) throw rateLimited(613);
  const content = await readContent(call, account, param.needObject("message"));
  const conversation = account.conversationWith(world.person(comment.personId ?? ""));
  if (conversation.blocked) throw personUnavailable();
  comment.privatelyReplied = true;
  const sent = deliver(world, { account, conversation }, "out", content);
  noteSent(call, account, { type: "private_reply", id: sent.mid, user: conversation.person.id });
  return { recipient_id: conversation.igsid, message_id: sent.mid };
}

function eligibleComment(world: World, account: Account, id: string): Comment {
  const comment = world.comments.get(id);
  const post = comment && world.posts.get(comment.postId);
  if (!comment || comment.deleted || post?.accountId !== account.id || post.deleted)
    throw noSuchObject("POST", id);
  if (comment.personId === undefined) throw commentNotEligible();
  if (world.clock.nowMs() - comment.atMs >= privateReplyMs) throw commentNotEligible();
  if (comment.privatelyReplied) throw alreadyReplied();
  return comment;
}

function noteSent(
  { world, param }: GraphCall,
  account: Account,
  what: { readonly type: string; readonly id: string | null; readonly user: string },
): void {
  const at = new Date(world.clock.nowMs()).toISOString();
  account.sent.append({ at, ...what, request: param.values });
}
