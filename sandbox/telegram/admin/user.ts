import { AdminError, Fields, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Bot } from "../bot.ts";
import { sharedOwner } from "../file/file-registry.ts";
import type { User } from "../shape.ts";
import type { World } from "../world.ts";
import { readContent } from "./content.ts";
import { privateChat, setBlocked, start, write } from "./person.ts";

/** People: creating them, starting and blocking bots, and a one-line message for newcomers. */
export function userRoutes(world: World): AdminRoute[] {
  const pair = ({ params }: AdminCall): { bot: Bot; user: User } => ({
    bot: world.bot(params.needInteger("bot_id")),
    user: world.user(params.needInteger("user_id")),
  });
  const block = (blocked: boolean) => (call: AdminCall) => {
    const { bot, user } = pair(call);
    return setBlocked(world, bot, privateChat(bot, user), blocked);
  };
  return [
    ["POST", "/users", ({ body }) => putUser(world, body)],
    ["GET", "/users", () => ({ items: [...world.users.values()] })],
    [
      "POST",
      "/bots/{bot_id}/users/{user_id}/start",
      (call) => {
        const { bot, user } = pair(call);
        return start(world, bot, user, call.body.text("payload"));
      },
    ],
    ["POST", "/bots/{bot_id}/users/{user_id}/blocks", block(true)],
    ["POST", "/bots/{bot_id}/users/{user_id}/unblocks", block(false)],
    [
      "POST",
      "/bots/{bot_id}/users/{user_id}/deactivations",
      (call) => {
        const { bot, user } = pair(call);
        privateChat(bot, user).deactivated = true;
        return {};
      },
    ],
    ["POST", "/users/{user_id}/photos", (call) => addPhoto(world, call)],
    ["POST", "/messages", ({ body }) => writeSimply(world, body)],
  ];
}

function putUser(world: World, body: Fields): User {
  const id = body.integer("id");
  if (id !== undefined && id <= 0) throw new AdminError(400, "invalid_field", "the id of a user is positive");
  const lastName = body.text("last_name");
  const username = body.text("username");
  const language = body.text("language_code");
  return world.putUser({
    ...(id !== undefined && { id }),
    first_name: body.needText("first_name"),
    ...(lastName !== undefined && { last_name: lastName }),
    ...(username !== undefined && { username }),
    ...(language !== undefined && { language_code: language }),
  });
}

/** A new profile photo, from `file` as for a photo message. */
async function addPhoto(world: World, { params, body }: AdminCall): Promise<unknown> {
  const user = world.user(params.needInteger("user_id"));
  const fields = new Fields({ kind: "photo", file: body.object("file") });
  const { photo = [] } = await readContent(fields, { files: world.files, botId: sharedOwner, user });
  world.userPhotos.set(user.id, [[...photo], ...(world.userPhotos.get(user.id) ?? [])]);
  return { photo };
}

/** A message, by default of the first user to the first bot; starts the chat if necessary. */
async function writeSimply(world: World, body: Fields): Promise<unknown> {
  const botId = body.integer("bot_id");
  const userId = body.integer("user_id");
  const bot = botId === undefined ? firstOf(world.bots, "bot", "/bots") : world.bot(botId);
  const user = userId === undefined ? firstUser(world) : world.user(userId);
  if (!bot.privateChat(user.id)) start(world, bot, user, undefined);
  return write(world, { bot, user, chat: privateChat(bot, user) }, body);
}

function firstUser(world: World): User {
  const first = [...world.users.values()][0];
  return first ?? world.putUser({ id: 111, first_name: "Ann", language_code: "en" });
}

function firstOf<T>(items: ReadonlyMap<number, T>, what: string, route: string): T {
  const first = [...items.values()][0];
  if (first !== undefined) return first;
  throw new AdminError(409, "none_yet", `${missing(what, "yet").message}; POST ${route} makes one`);
}
