import { StrictFields } from "../../http/strict-fields.ts";
import { invalidField } from "../api-error.ts";
import { type ApiCall, bodyOf, chatOf, fieldErrors } from "../call.ts";
import { type ChatType, chatTypes } from "../chat.ts";
import { chatShape, selfShape } from "../shape.ts";

/** `GET /core/v1/accounts/self` */
export function getSelf({ account, query }: ApiCall): unknown {
  query.only([]);
  return selfShape(account);
}

/** `GET /messenger/v2/accounts/{user_id}/chats`: the latest first. */
export function getChats({ world, account, query }: ApiCall): unknown {
  query.only(["item_ids", "unread_only", "chat_types", "limit", "offset"]);
  const itemIds = query.list("item_ids")?.map(readItemId);
  const types: readonly string[] = readTypes(query.list("chat_types") ?? ["u2i"]);
  const unreadOnly = query.flag("unread_only");
  const limit = query.between("limit", 1, 100, 100);
  const offset = query.between("offset", 0, 1000, 0);
  const found = [...world.chats.values()]
    .filter((chat) => chat.account === account && types.includes(chat.type))
    .filter((chat) => !itemIds || (chat.item !== undefined && itemIds.includes(chat.item.id)))
    .filter((chat) => !unreadOnly || chat.hasUnread)
    .sort((first, second) => second.updated - first.updated);
  return { chats: found.slice(offset, offset + limit).map((chat) => chatShape(world, chat)) };
}

/** `GET /messenger/v2/accounts/{user_id}/chats/{chat_id}` */
export function getChat(call: ApiCall): unknown {
  call.query.only([]);
  return chatShape(call.world, chatOf(call));
}

function readItemId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidField("item_ids", "integers expected");
}

function readTypes(names: readonly string[]): ChatType[] {
  return names.map((name) => {
    const type = chatTypes.find((known) => known === name);
    if (!type) throw invalidField("chat_types", "u2i, u2u or a2u expected");
    return type;
  });
}

/** `POST /messenger/v2/accounts/{user_id}/blacklist`: these people can no longer write. */
export function addToBlacklist(call: ApiCall): undefined {
  const users = bodyOf(call, ["users"]).list("users");
  if (!users || users.length === 0) throw fieldErrors.missing("users");
  for (const [index, value] of users.entries()) {
    const user = new StrictFields(value, ["user_id", "context"], fieldErrors, `users[${index}].`);
    const id = user.integer("user_id");
    if (id === undefined) throw user.missing("user_id");
    const context = user.object("context", ["item_id", "reason_id"]);
    context?.integer("item_id");
    const reason = context?.integer("reason_id");
    if (reason !== undefined && (reason < 1 || reason > 4)) throw invalidField("reason_id", "must be 1 to 4");
    call.account.blacklist.add(id);
  }
  call.world.changed();
}
