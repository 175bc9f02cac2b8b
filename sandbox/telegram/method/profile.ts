import { isRecord } from "../../http/fields.ts";
import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";

/** https://core.telegram.org/bots/api#getme */
export function getMe({ bot }: Call): unknown {
  return {
    ...bot.user,
    can_join_groups: true,
    can_read_all_group_messages: bot.readsAllGroupMessages,
    supports_guest_queries: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  };
}

/** https://core.telegram.org/bots/api#setmycommands */
export function setMyCommands({ bot, args }: Call): true {
  const commands = args.list("commands", "commands") ?? [];
  if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  bot.commands = commands.map((command) => {
    if (!isRecord(command)) throw badRequest("can't parse BotCommand: expected an Object");
    const name = String(command["command"] ?? "").replace(/^\//, "");
    const description = String(command["description"] ?? "");
    if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest("BOT_COMMAND_INVALID");
    if (description.length < 1 || description.length > 256)
      throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    return { command: name, description };
  });
  return true;
}

/** https://core.telegram.org/bots/api#getmycommands */
export function getMyCommands({ bot }: Call): unknown {
  return bot.commands;
}

/** https://core.telegram.org/bots/api#deletemycommands */
export function deleteMyCommands({ bot }: Call): true {
  bot.commands = [];
  return true;
}

const loggedOutMs = 10 * 60 * 1000;

/** https://core.telegram.org/bots/api#logout: the bot cannot log in again for ten minutes. */
export function logOut({ bot, world }: Call): true {
  bot.loggedOutUntilMs = world.clock.nowMs() + loggedOutMs;
  return true;
}

/** https://core.telegram.org/bots/api#close */
export function close(): true {
  return true;
}
