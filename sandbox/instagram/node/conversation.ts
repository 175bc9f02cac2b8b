import { page } from "../../meta/paging.ts";
import type { Account } from "../account/account.ts";
import type { Conversation, StoredMessage } from "../account/conversation.ts";
import { type EdgeTable, fieldsOf, type GraphCall, needScope } from "../call/call.ts";
import { type Node, nestedList, pickFields } from "../call/field-tree.ts";
import { rateLimited } from "../call/graph-refusal.ts";
import { graphTime } from "../post/post.ts";

interface Thread {
  readonly account: Account;
  readonly conversation: Conversation;
}

/** Details are returned for this many messages of a conversation. */
const detailedMessages = 20;

/** `GET /{page}/conversations?platform=instagram`: newest first. */
export function listConversations(call: GraphCall, account: Account): unknown {
  needScope(call, "messages");
  const { param, world } = call;
  param.only("fields", "platform", "user_id", "limit", "after", "before", "folder");
  if (call.login === "facebook") param.needOneOf("platform", ["instagram"]);
  if (!world.limiter.take(account.id, "conversations")) throw rateLimited(613);
  const wanted = param.text("user_id");
  const threads = [...account.conversations.values()]
    .filter(({ igsid, deleted }) => (wanted ?? igsid) === igsid && !deleted)
    .filter((conversation) => conversation.newest().length > 0)
    .toSorted((a, b) => (b.newest()[0]?.atMs ?? 0) - (a.newest()[0]?.atMs ?? 0))
    .map((conversation) => pickFields(threadNode({ account, conversation }), fieldsOf(call)));
  return page(threads, param, `${world.url()}/${account.id}/conversations`);
}

export const conversationEdges: EdgeTable<Thread> = {
  "GET ": (call, thread) => {
    needScope(call, "messages");
    call.param.only("fields");
    return pickFields(threadNode(thread), fieldsOf(call));
  },
};

export const messageEdges: EdgeTable<Thread & { readonly message: StoredMessage }> = {
  "GET ": (call, { account, conversation, message }) => {
    needScope(call, "messages");
    call.param.only("fields");
    return pickFields(messageNode({ account, conversation }, message), fieldsOf(call));
  },
};

function threadNode({ account, conversation }: Thread): Node {
  const messages = conversation.newest().filter(({ unsent }) => !unsent);
  const participants = [business(account), person(conversation)];
  return {
    type: "UnifiedThread",
    defaults: ["updated_time"],
    fields: {
      id: conversation.id,
      updated_time: graphTime(messages[0]?.atMs ?? 0),
      participants: { data: participants },
      messages: nestedList(
        messages.slice(0, detailedMessages).map((message) => messageNode({ account, conversation }, message)),
      ),
    },
  };
}

function messageNode({ account, conversation }: Thread, message: StoredMessage): Node {
  const isInbound = message.direction === "in";
  const [from, to] = isInbound
    ? [person(conversation), business(account)]
    : [business(account), person(conversation)];
  const attachments = message.attachments.map(({ payload }) => ({ image_data: { url: payload?.["url"] } }));
  return {
    type: "Message",
    defaults: ["created_time"],
    fields: {
      id: message.mid,
      created_time: graphTime(message.atMs),
      from,
      to: { data: [to] },
      message: message.text ?? "",
      attachments: attachments.length > 0 ? { data: attachments } : undefined,
      is_unsupported: undefined,
      reactions:
        message.reaction === undefined ? undefined : { data: [{ reaction: message.reaction, users: [to] }] },
    },
  };
}

function business({ id, username }: Account) {
  return { username, id };
}

function person({ igsid, person: { username } }: Conversation) {
  return { username, id: igsid };
}
