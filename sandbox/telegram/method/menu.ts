import { isRecord } from "../../http/fields.ts";
import { badRequest, forbidden } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";

const fallback = { type: "commands" };

/** https://core.telegram.org/bots/api#setchatmenubutton: without `chat_id`, the default of all private chats. */
export function setChatMenuButton(call: Call): true {
  const { bot, args, world } = call;
  const button = readButton(args.object("menu_button", "menu button"));
  bot.menuButtons.set(userOf(call), button);
  world.changed();
  return true;
}

/** https://core.telegram.org/bots/api#getchatmenubutton */
export function getChatMenuButton(call: Call): unknown {
  const { menuButtons } = call.bot;
  const own = menuButtons.get(userOf(call));
  return own && own["type"] !== "default" ? own : (menuButtons.get(undefined) ?? fallback);
}

/** The user of the private chat; undefined: the default. */
function userOf({ bot, world, args }: Call): number | undefined {
  const userId = args.integer("chat_id", 0);
  if (args.text("chat_id") === "" || userId === 0) return undefined;
  if (userId < 0) throw badRequest("invalid user_id specified");
  if (bot.privateChat(userId)) return userId;
  if (world.users.has(userId)) throw forbidden("bot can't initiate conversation with a user");
  throw badRequest("chat not found");
}

/** https://core.telegram.org/bots/api#menubutton */
function readButton(value: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  if (!value) return { type: "default" };
  const type = value["type"];
  if (type === "default" || type === "commands") return { type };
  if (type !== "web_app") throw badRequest("can't parse menu button: MenuButton has unsupported type");
  const { text, web_app: app } = value;
  if (typeof text !== "string" || text === "") {
    throw badRequest("can't parse menu button: Can't find field \"text\"");
  }
  if (!isRecord(app) || !/^https:\/\/\S+$/.test(String(app["url"]))) throw badRequest("BUTTON_URL_INVALID");
  return { type, text, web_app: { url: app["url"] } };
}
