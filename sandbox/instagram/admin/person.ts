import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Conversation, StoredMessage } from "../account/conversation.ts";
import { receive, type Seat, tell, touch } from "../inbound.ts";
import { writeComment } from "../post/comment.ts";
import type { World } from "../world.ts";
import { readWords } from "./content.ts";
import { describeComment, describeMessage } from "./describe.ts";

type SeatHandler = (seat: Seat, body: Fields) => unknown;

const actions: Readonly<Record<string, SeatHandler>> = {
  messages: write,
  edits: edit,
  unsends: unsend,
  reactions: react,
  presses: press,
  reads: read,
  referrals: refer,
  comments: comment,
  blocks: ({ world, conversation }) => setBlocked(world, conversation, true),
  unblocks: ({ world, conversation }) => setBlocked(world, conversation, false),
};

/** What people do, below `/accounts/{account_id}/users/{user_id}`. */
export function personRoutes(world: World): AdminRoute[] {
  const below = "/accounts/{account_id}/users/{user_id}";
  return [
    ...Object.entries(actions).map(([name, handler]): AdminRoute => {
      return ["POST", `${below}/${name}`, (call) => handler(seatOf(world, call), call.body)];
    }),
    ["GET", `${below}/messages`, (call) => listMessages(seatOf(world, call))],
  ];
}

/** A message of any kind. */
export async function write(seat: Seat, body: Fields): Promise<unknown> {
  if (seat.conversation.blocked) {
    throw new AdminError(409, "blocked", "the user has blocked the account; unblock it first");
  }
  return receive(seat, await readWords(seat, body));
}

/** `{message_id, text}`: the person changes a text of their own. */
function edit(seat: Seat, body: Fields): unknown {
  const message = ownMessage(seat.conversation, body.needText("message_id"));
  message.text = body.needText("text");
  message.edits++;
  const edited = { mid: message.mid, text: message.text, num_edit: message.edits };
  return { message_edit: edited, callbacks: tell(seat, "message_edit", { message_edit: edited }) };
}

/** `{message_id}`: the person unsends a message. */
function unsend(seat: Seat, body: Fields): unknown {
  const message = ownMessage(seat.conversation, body.needText("message_id"));
  message.unsent = true;
  const deleted = { mid: message.mid, is_deleted: true };
  return { message: deleted, callbacks: tell(seat, "messages", { message: deleted }) };
}

/** `{message_id?, reaction?, emoji?}`; without both `reaction` and `emoji` the reaction is removed. */
function react(seat: Seat, body: Fields): unknown {
  const message = wantedMessage(seat.conversation, body);
  const emoji = body.text("emoji");
  const reaction = body.text("reaction") ?? (emoji === undefined ? undefined : "other");
  message.reaction = reaction;
  touch(seat);
  const told =
    reaction === undefined
      ? { mid: message.mid, action: "unreact" }
      : { mid: message.mid, action: "react", reaction, emoji: emoji ?? "❤" };
  return { reaction: told, callbacks: tell(seat, "message_reactions", { reaction: told }) };
}

/**
 * `{title?, payload?, message_id?}`: a quick reply answers with its title; a button sends a postback or opens an
 * address.
 */
function press(seat: Seat, body: Fields): unknown {
  const title = body.text("title");
  const payload = body.text("payload");
  if (title === undefined && payload === undefined) {
    throw new AdminError(400, "invalid_field", "title or payload is needed");
  }
  const id = body.text("message_id");
  const found = seat.conversation
    .newest()
    .filter(({ mid }) => (id ?? mid) === mid)
    .flatMap(({ mid, buttons }) => buttons.map((button) => ({ mid, button })))
    .find(
      ({ button }) =>
        (title ?? button.title) === button.title && (payload ?? button.payload) === button.payload,
    );
  if (!found) throw missing("button", title ?? payload ?? "");
  const { button, mid } = found;
  if (button.kind === "web_url") return { url: button.payload };
  if (button.kind === "quick_reply") {
    return receive(seat, { text: button.title, extra: { quick_reply: { payload: button.payload } } });
  }
  touch(seat);
  const postback = { mid, title: button.title, payload: button.payload };
  return { postback, callbacks: tell(seat, "messaging_postbacks", { postback }) };
}

/** `{message_id?}`: the person has seen that message and all before it, or all. */
function read(seat: Seat, body: Fields): unknown {
  const { world, conversation } = seat;
  const upTo = wantedMessage(conversation, body);
  const seen = conversation
    .newest()
    .filter(({ direction, atMs, seen: before }) => direction !== "in" && atMs <= upTo.atMs && !before);
  for (const message of seen) message.seen = true;
  const part = world.settings.seenForm === "mid" ? { mid: upTo.mid } : { watermark: world.clock.nowMs() };
  return { message_ids: seen.map(({ mid }) => mid), callbacks: tell(seat, "messaging_seen", { read: part }) };
}

/** `{ref?, source?, type?}`: the person arrives by a link. */
function refer(seat: Seat, body: Fields): unknown {
  const referral = {
    ref: body.text("ref") ?? "",
    source: body.text("source") ?? "IGME-SOURCE-LINK",
    type: body.text("type") ?? "OPEN_THREAD",
  };
  touch(seat);
  return { referral, callbacks: tell(seat, "messaging_referral", { referral }) };
}

/** `{text, media_id?, parent_id?, live?}`: on the newest post, or as a reply to a comment. */
function comment({ world, account, conversation }: Seat, body: Fields): unknown {
  const parentId = body.text("parent_id");
  const parent = parentId === undefined ? undefined : world.comment(parentId);
  const newest = [...world.posts.values()]
    .filter(({ accountId, deleted }) => accountId === account.id && !deleted)
    .at(-1);
  const postId = body.text("media_id") ?? parent?.postId ?? newest?.id;
  if (postId === undefined)
    throw new AdminError(409, "no_media", "the account has no post yet: POST .../media");
  const words = {
    personId: conversation.person.id,
    parent,
    text: body.needText("text"),
    live: body.flag("live") ?? false,
  };
  const written = writeComment(world, { account, post: world.post(postId) }, words);
  return { comment: describeComment(written.comment), callbacks: written.callbacks };
}

function setBlocked(world: World, conversation: Conversation, blocked: boolean): unknown {
  conversation.blocked = blocked;
  world.changed();
  return { blocked };
}

function listMessages({ conversation }: Seat): unknown {
  const { igsid, blocked, deleted, lastInboundMs } = conversation;
  const items = conversation.newest().reverse().map(describeMessage);
  return { igsid, blocked, deleted, last_inbound_at: lastInboundMs ?? null, items };
}

function ownMessage(conversation: Conversation, mid: string): StoredMessage {
  const message = conversation.get(mid);
  if (message?.direction === "in") return message;
  throw missing("message of the user", mid);
}

/** `message_id`, or the newest message of the account. */
function wantedMessage(conversation: Conversation, body: Fields): StoredMessage {
  const mid = body.text("message_id");
  const found =
    mid === undefined
      ? conversation.newest().find(({ direction }) => direction !== "in")
      : conversation.get(mid);
  if (found) return found;
  if (mid !== undefined) throw missing("message", mid);
  throw new AdminError(409, "no_message", "there is no message of the account yet");
}

function seatOf(world: World, { params }: AdminCall): Seat {
  const account = world.account(params.needText("account_id"));
  const person = world.person(params.needText("user_id"));
  return { world, account, conversation: account.conversationWith(person) };
}
