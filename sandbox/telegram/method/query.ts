import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import type { Chat, Membership } from "../chat/chat.ts";
import { memberShape } from "../chat/member.ts";
import { membershipOf } from "../chat/membership.ts";
import { knownChat } from "../chat/target.ts";
import type { Message } from "../shape.ts";

/** https://core.telegram.org/bots/api#getfile */
const maxDownloadBytes = 20 * 1024 * 1024;
/** The platform drops a press after some minutes. */
const pressLifetimeMs = 15 * 60 * 1000;

export function getFile({ world, bot, args }: Call): unknown {
  const fileId = args.text("file_id");
  if (fileId === "") throw badRequest("file_id not specified");
  const file = world.files.find(bot.id, fileId);
  if (!file) throw badRequest("invalid file_id");
  if (file.size > maxDownloadBytes) throw badRequest("file is too big");
  world.files.openLink(file);
  const { file_id, file_unique_id, size, path } = file;
  return { file_id, file_unique_id, file_size: size, file_path: path };
}

/** https://core.telegram.org/bots/api#getuserprofilephotos */
export function getUserProfilePhotos({ world, args }: Call): unknown {
  const userId = args.integer("user_id", 0);
  if (userId <= 0) throw badRequest("invalid user_id specified");
  if (!world.users.has(userId)) throw badRequest("user not found");
  const all = world.userPhotos.get(userId) ?? [];
  const offset = args.integer("offset", 0, 0);
  const limit = args.integer("limit", 100, 1, 100);
  return { total_count: all.length, photos: all.slice(offset, offset + limit) };
}

/** https://core.telegram.org/bots/api#getchat */
export function getChat(call: Call): unknown {
  const chat = knownChat(call, "chat_id");
  if (chat.kind === "group" && chat.upgradedTo === undefined) chat.assertWritable(call.bot.id);
  const { shape } = chat;
  const pinned = pinnedMessage(chat);
  return {
    ...shape,
    ...(pinned && { pinned_message: pinned }),
    ...(shape.username && { active_usernames: [shape.username] }),
    accent_color_id: Math.abs(shape.id) % 7,
    max_reaction_count: 11,
    accepted_gift_types: {
      unlimited_gifts: true,
      limited_gifts: true,
      unique_gifts: true,
      premium_subscription: true,
      gifts_from_channels: true,
    },
  };
}

/** The newest pin whose message still exists. */
function pinnedMessage(chat: Chat): Message | undefined {
  return [...chat.pins].map((id) => chat.messages.get(id)).findLast((message) => message !== undefined);
}

/** https://core.telegram.org/bots/api#getchatmembercount: bots count too, and a private chat has two members. */
export function getChatMemberCount(call: Call): number {
  const chat = memberChat(call);
  if (chat.kind === "private") return 2;
  return chat.users.size + [...chat.bots.values()].filter(isInside).length;
}

/** https://core.telegram.org/bots/api#getchatadministrators: other bots only with `return_bots`. */
export function getChatAdministrators(call: Call): unknown {
  const { world, bot, args } = call;
  const chat = memberChat(call);
  if (chat.kind === "private") throw badRequest("there are no administrators in the private chat");
  const people = [...chat.administrators].map((id) => world.users.get(id));
  const bots = [...chat.bots]
    .filter(([id, role]) => role === "administrator" && (id === bot.id || args.flag("return_bots")))
    .map(([id]) => world.bots.get(id)?.user);
  return [...people, ...bots]
    .filter((user) => user !== undefined)
    .map((user) => memberShape(user, "administrator"));
}

/** A chat whose members the bot can see. */
function memberChat(call: Call): Chat {
  const chat = knownChat(call, "chat_id");
  if (chat.kind === "group") chat.assertWritable(call.bot.id);
  return chat;
}

function isInside(membership: Membership): boolean {
  return membership === "member" || membership === "administrator";
}

/** https://core.telegram.org/bots/api#getchatmember */
export function getChatMember(call: Call): unknown {
  const { world, bot, args } = call;
  const chat = knownChat(call, "chat_id");
  const userId = args.integer("user_id", 0);
  if (userId <= 0) throw badRequest("invalid user_id specified");
  const user = userId === bot.id ? bot.user : world.users.get(userId);
  if (!user) throw badRequest("user not found");
  if (chat.kind === "private") {
    if (userId !== bot.id && userId !== chat.user.id) throw badRequest("member not found");
    return memberShape(user, "member");
  }
  return memberShape(user, membershipOf(chat, userId));
}

/** https://core.telegram.org/bots/api#answercallbackquery */
export function answerCallbackQuery({ world, bot, args }: Call): true {
  const press = bot.presses.get(args.text("callback_query_id"));
  const isOld = press && world.clock.nowMs() - press.pressed_at_ms > pressLifetimeMs;
  if (!press || isOld) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  const text = args.text("text");
  if (text.length > 200) throw badRequest("MESSAGE_TOO_LONG");
  const answer = {
    text: text === "" ? null : text,
    show_alert: args.flag("show_alert"),
    url: args.text("url") || null,
  };
  bot.answers.append({ ...press, answer });
  return true;
}
