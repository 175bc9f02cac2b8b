import { randomBytes } from "node:crypto";
import { missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Bot } from "../bot.ts";
import { privateShape } from "../chat/chat.ts";
import { sharedOwner } from "../file/file-registry.ts";
import type { User } from "../shape.ts";
import type { World } from "../world.ts";
import { readContent } from "./content.ts";

/** People who connect a bot to their own account, and what others write to them: https://core.telegram.org/bots/api#businessconnection */
export function businessRoutes(world: World): AdminRoute[] {
  const botOf = ({ params }: AdminCall) => world.bot(params.needInteger("bot_id"));
  return [
    ["POST", "/bots/{bot_id}/business_connections", (call) => connect(world, botOf(call), call)],
    [
      "POST",
      "/bots/{bot_id}/business_connections/{connection_id}/messages",
      (call) => write(world, botOf(call), call),
    ],
  ];
}

/** `{user_id}`: the owner of the account. */
function connect(world: World, bot: Bot, { body }: AdminCall): unknown {
  const user = world.user(body.needInteger("user_id"));
  const id = randomBytes(12).toString("base64url");
  bot.businessConnections.set(id, user);
  const connection = {
    id,
    user,
    user_chat_id: user.id,
    date: world.clock.now(),
    rights: { can_reply: true, can_read_messages: true },
    is_enabled: true,
  };
  const updateId = world.notify(bot, { business_connection: connection }, `business ${id}`);
  return { connection, update_ids: updateId === undefined ? {} : { [bot.id]: updateId } };
}

/** `{user_id, …}`, as a message of a person: somebody writes to the account. */
async function write(world: World, bot: Bot, { params, body }: AdminCall): Promise<unknown> {
  const id = params.needText("connection_id");
  if (!bot.businessConnections.has(id)) throw missing("business connection", id);
  const user: User = world.user(body.needInteger("user_id"));
  const content = await readContent(body, { files: world.files, botId: sharedOwner, user });
  const message = {
    business_connection_id: id,
    message_id: ++bot.businessMessages,
    from: user,
    chat: privateShape(user),
    date: world.clock.now(),
    ...content,
  };
  const updateId = world.notify(bot, { business_message: message }, `business ${id}`);
  return { message, update_ids: updateId === undefined ? {} : { [bot.id]: updateId } };
}
