import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { Bot } from "../bot.ts";
import type { Chat, StoredMessage, User } from "../chat/chat.ts";
import { deleteInChat, editInChat, tellDialog, type Written, writeToChat } from "../inbound.ts";
import { messageShape } from "../shape.ts";
import type { World } from "../world.ts";
import { readWords } from "./content.ts";
import { press } from "./press.ts";
import type { Seat } from "./seat.ts";

type SeatHandler = (seat: Seat, body: Fields) => unknown;

/** Actions of people in both dialogs and groups. */
export const chatActions: Readonly<Record<string, SeatHandler>> = {
  messages: write,
  edits: ({ world, chat, user }, body) =>
    editInChat(world, ownMessage(chat, user, body), body.needText("text")),
  deletions: ({ world, chat, user }, body) => deleteInChat(world, ownMessage(chat, user, body), user),
  presses: press,
};

/** The actions of people, below `/bots/{bot_id}/users/{user_id}`. */
export function personRoutes(world: World): AdminRoute[] {
  const base = "/bots/{bot_id}/users/{user_id}";
  const dialogActions: Readonly<Record<string, SeatHandler>> = {
    ...chatActions,
    stop: ({ chat }) => stop(world, chat),
    mutes: ({ chat }, body) => {
      const mutedUntil = world.clock.nowMs() + (body.number("seconds") ?? 3600) * 1000;
      return tellDialog(world, chat, "dialog_muted", { muted_until: mutedUntil });
    },
    unmutes: ({ chat }) => tellDialog(world, chat, "dialog_unmuted"),
    clears: ({ chat }) => {
      chat.clear();
      return tellDialog(world, chat, "dialog_cleared");
    },
    removals: ({ chat }) => {
      chat.suspended = true;
      return tellDialog(world, chat, "dialog_removed");
    },
  };
  return [
    ["POST", `${base}/start`, (call) => start(world, ...whoOf(world, call), call.body)],
    ...Object.entries(dialogActions).map(([name, handler]): AdminRoute => {
      return ["POST", `${base}/${name}`, (call) => handler(seatOf(world, call), call.body)];
    }),
    ["GET", `${base}/messages`, (call) => listMessages(seatOf(world, call).chat)],
  ];
}

/** Opens the dialog, possibly again. A deep link's payload of more than 512 characters is dropped. */
export function start(world: World, bot: Bot, user: User, body: Fields): unknown {
  const chat = world.openDialog(bot, user);
  chat.suspended = false;
  const payload = body.text("payload");
  const fits = payload !== undefined && payload.length <= 512;
  return tellDialog(world, chat, "bot_started", { payload: fits ? payload : null });
}

function stop(world: World, chat: Chat): unknown {
  chat.suspended = true;
  return tellDialog(world, chat, "bot_stopped");
}

/** A message of any kind. */
export async function write(seat: Seat, body: Fields): Promise<Written> {
  if (seat.chat.suspended)
    throw new AdminError(409, "stopped", "the user has stopped the bot; start it again");
  return writeToChat(seat.world, seat.chat, seat.user, await readWords(seat, body));
}

function ownMessage(chat: Chat, user: User, body: Fields): StoredMessage {
  const mid = body.needText("mid");
  const message = chat.get(mid);
  if (message?.sender === user) return message;
  throw missing("message of the user", mid);
}

/** The chat as its people see it. */
export function listMessages(chat: Chat): unknown {
  const { chatId, suspended, type } = chat;
  const items = chat.list().map((message) => ({
    from_bot: message.sender instanceof Bot,
    ...messageShape(message),
  }));
  return { chat_id: chatId, type, suspended, items };
}

function whoOf(world: World, { params }: AdminCall): [Bot, User] {
  return [world.bot(params.needInteger("bot_id")), world.user(params.needInteger("user_id"))];
}

function seatOf(world: World, call: AdminCall): Seat {
  const [bot, user] = whoOf(world, call);
  return { world, bot, user, chat: world.dialog(bot, user) };
}
