import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminCall, AdminHandler, AdminRoute } from "../../http/route.ts";
import { amend, orderingKeyOf, receive } from "../chat/conversation.ts";
import { Chat, type Dialog } from "../chat/dialog.ts";
import { setReaction } from "../chat/reaction.ts";
import { cropped, type Message, type User } from "../shape.ts";
import type { World } from "../world.ts";
import { readContent } from "./content.ts";
import { press } from "./press.ts";
import type { Seat } from "./seat.ts";

type SeatHandler = (seat: Seat, call: AdminCall) => unknown;

const actions: Readonly<Record<string, SeatHandler>> = {
  messages: (seat, { body }) => write(seat, body),
  edits: (seat, { body }) => edit(seat, body),
  deletions: (seat, { body }) => remove(seat, body),
  presses: press,
  reads: (seat, { body }) => read(seat, body),
  reactions: (seat, { body }) => react(seat, body),
  typing: (seat) => type(seat),
};

/** The actions of people, below `/communities/{group_id}/users/{user_id}`; in chats below `.../chats/{peer_id}`. */
export function personRoutes(world: World): AdminRoute[] {
  const privately = (handler: SeatHandler): AdminHandler => {
    return (call) => handler(privateSeat(world, call), call);
  };
  const inChat = (handler: SeatHandler): AdminHandler => {
    return (call) => handler(chatSeat(world, call), call);
  };
  const below = "/communities/{group_id}/users/{user_id}";
  return [
    ...Object.entries(actions).flatMap(([name, handler]): AdminRoute[] => [
      ["POST", `${below}/${name}`, privately(handler)],
      ["POST", `/communities/{group_id}/chats/{peer_id}/${name}`, inChat(handler)],
    ]),
    ["POST", `${below}/allowances`, privately((seat, { body }) => allow(seat, body))],
    ["POST", `${below}/denials`, privately((seat) => deny(seat))],
    ["POST", `${below}/bans`, privately((seat) => setBanned(seat, true))],
    ["POST", `${below}/unbans`, privately((seat) => setBanned(seat, false))],
    ["GET", `${below}/messages`, privately(({ dialog }) => listMessages(dialog))],
    ["GET", "/communities/{group_id}/chats/{peer_id}/messages", (call) => listMessages(chatOf(world, call))],
  ];
}

/** A message of any kind. Writing allows replies. */
export async function write(seat: Seat, body: Fields): Promise<unknown> {
  const { community, dialog, user, world } = seat;
  if (!community.messagesEnabled)
    throw new AdminError(409, "messages_off", "the community takes no messages");
  if (dialog.banned) throw new AdminError(409, "banned", "the person is on the blacklist of the community");
  const content = await readContent({ ...seat, fromId: user.id }, body);
  return receive(world, { community, dialog }, user.id, content);
}

/** `{conversation_message_id, text}` */
function edit({ community, dialog, user, world }: Seat, body: Fields): unknown {
  const message = ownMessage(dialog, user, body);
  const edited = amend(world, dialog, message, { text: body.needText("text") });
  return {
    message: edited,
    events: world.emit(community, "message_edit", cropped(edited), orderingKeyOf(dialog)),
  };
}

/** Not reported to the community. */
function remove({ dialog, user, world }: Seat, body: Fields): unknown {
  dialog.delete(ownMessage(dialog, user, body).conversation_message_id);
  world.changed();
  return { deleted: true, events: 0 };
}

/** The person has seen everything up to `conversation_message_id`, or all. */
function read({ community, dialog, user, world }: Seat, body: Fields): unknown {
  const cmid =
    body.integer("conversation_message_id") ?? newestOf(dialog, -community.id).conversation_message_id;
  const message = dialog.get(cmid);
  if (!message) throw missing("message", cmid);
  dialog.outRead = Math.max(dialog.outRead, cmid);
  world.changed();
  const seen = {
    from_id: user.id,
    peer_id: dialog.peerId,
    read_message_id: message.id,
    conversation_message_id: cmid,
  };
  return { ...seen, events: world.emit(community, "message_read", seen, orderingKeyOf(dialog)) };
}

/** The largest number in VK's schema, `callback_message_reaction_event`; the panel has fewer. */
const maxReaction = 64;

/** `{conversation_message_id?, reaction_id?}`; without `reaction_id`, the reaction is removed. */
function react({ community, dialog, user, world }: Seat, body: Fields): unknown {
  const cmid =
    body.integer("conversation_message_id") ?? newestOf(dialog, -community.id).conversation_message_id;
  if (!dialog.get(cmid)) throw missing("message", cmid);
  const id = body.integer("reaction_id");
  if (id !== undefined && (id < 1 || id > maxReaction))
    throw new AdminError(400, "invalid_field", `reaction_id is a number up to ${maxReaction}`);
  setReaction(world, dialog, { cmid, by: user.id, id });
  const reaction = {
    reacted_id: user.id,
    peer_id: dialog.peerId,
    cmid,
    ...(id !== undefined && { reaction_id: id }),
  };
  return {
    ...reaction,
    events: world.emit(community, "message_reaction_event", reaction, orderingKeyOf(dialog)),
  };
}

function type({ community, dialog, user, world }: Seat): unknown {
  const typing = { state: "typing", from_id: user.id, to_id: -community.id };
  return { ...typing, events: world.emit(community, "message_typing_state", typing, orderingKeyOf(dialog)) };
}

/** `{key?}`: the button "allow messages" of VK or of a site. */
function allow({ community, dialog, user, world }: Seat, body: Fields): unknown {
  dialog.allowed = true;
  world.changed();
  const allowed = { user_id: user.id, key: body.text("key") ?? "" };
  return { ...allowed, events: world.emit(community, "message_allow", allowed, orderingKeyOf(dialog)) };
}

function deny({ community, dialog, user, world }: Seat): unknown {
  dialog.allowed = false;
  world.changed();
  const denied = { user_id: user.id };
  return { ...denied, events: world.emit(community, "message_deny", denied, orderingKeyOf(dialog)) };
}

/** Adds the person to the community's blacklist, or removes them. */
function setBanned({ dialog, world }: Seat, banned: boolean): unknown {
  dialog.banned = banned;
  world.changed();
  return { banned };
}

function listMessages(dialog: Dialog): unknown {
  const { allowed, banned, keyboard, inRead, outRead } = dialog;
  const items = dialog.newest().reverse();
  return { allowed, banned, in_read: inRead, out_read: outRead, keyboard: keyboard ?? null, items };
}

function ownMessage(dialog: Dialog, user: User, body: Fields): Message {
  const cmid = body.needInteger("conversation_message_id");
  const message = dialog.get(cmid);
  if (!message) throw missing("message", cmid);
  if (message.from_id === user.id) return message;
  throw new AdminError(409, "not_own", `message ${cmid} was not written by user ${user.id}`);
}

/** The newest message of this author, or an error if there is none. */
function newestOf(dialog: Dialog, fromId: number): Message {
  const message = dialog.newest().find(({ from_id }) => from_id === fromId);
  if (message) return message;
  throw new AdminError(409, "no_message", "there is no message of the community yet");
}

function privateSeat(world: World, { params }: AdminCall): Seat {
  const community = world.community(params.needInteger("group_id"));
  const user = world.user(params.needInteger("user_id"));
  return { world, community, user, dialog: community.dialogWith(user) };
}

/** `user_id` of the body, or the first person of the chat. */
function chatSeat(world: World, call: AdminCall): Seat {
  const community = world.community(call.params.needInteger("group_id"));
  const dialog = chatOf(world, call);
  const userId = call.body.integer("user_id") ?? [...dialog.members][0] ?? 0;
  if (!dialog.members.has(userId)) {
    throw new AdminError(409, "not_a_member", `user ${userId} is not in chat ${dialog.peerId}`);
  }
  return { world, community, user: world.user(userId), dialog };
}

/** The chat of a path such as `/communities/1/chats/2000000001`. */
export function chatOf(world: World, { params }: AdminCall): Chat {
  const peerId = params.needInteger("peer_id");
  const dialog = world.community(params.needInteger("group_id")).dialogs.get(peerId);
  if (dialog instanceof Chat) return dialog;
  throw missing("chat", peerId);
}
