import { opcode } from "../opcode.ts";
import { badPayload, chatDenied, notFound, restricted } from "../refusal.ts";
import { chatShape } from "../shape.ts";
import type { Account } from "../world/account.ts";
import type { Chat } from "../world/chat.ts";
import { changeMembers, refuses, rename, setAdmin, setPhoto } from "../world/group.ts";
import { needGroup } from "./chats.ts";
import { type MemberCall, needNumbers, type Operations } from "./operation.ts";

const mostTitle = 200;
const allPermissions = 255;

/** Changes of groups; the fields are those of vkmax, PyMax and Komet. */
export const groupOperations: Operations<MemberCall> = {
  [opcode.chatUpdate]: {
    name: "CHAT_UPDATE",
    fields: ["chatId", "theme", "description", "photoToken"],
    run: updateChat,
  },
  [opcode.chatMembersUpdate]: {
    name: "CHAT_MEMBERS_UPDATE",
    fields: ["chatId", "userIds", "operation", "showHistory", "cleanMsgPeriod", "type", "permissions"],
    run: updateMembers,
  },
};

/** Of these people, those whom the caller may add to a group; the others are silently left out. */
export function invitable({ world, account }: MemberCall, userIds: readonly number[]): Account[] {
  const people = userIds.flatMap((id) => world.accounts.get(id) ?? []);
  return people.filter((each) => !each.isBlocked && !refuses(each, account));
}

function updateMembers(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const chat = needGroup(call);
  const operation = fields.oneOf("operation", ["add", "remove"]);
  if (operation === undefined) throw fields.missing("operation");
  const userIds = needNumbers(fields, "userIds");
  if (fields.oneOf("type", ["ADMIN"])) appoint(call, { chat, userIds, isAdmin: operation === "add" });
  else {
    if (!chat.admins.has(account.id)) throw chatDenied("only for administrators");
    if (operation === "add" && account.restrictedUntilMs > world.nowMs()) throw restricted();
    const members =
      operation === "add"
        ? invitable(call, userIds)
        : userIds.flatMap((id) => world.accounts.get(id) ?? []).filter(({ id }) => id !== chat.owner);
    changeMembers({ world, chat, from: session }, { operation, members, by: account });
  }
  return { chat: chatShape(world, chat, account) };
}

/** Only the owner appoints administrators: the right for it is in `permissions`, which are not emulated. */
function appoint(
  { world, account, session, fields }: MemberCall,
  { chat, userIds, isAdmin }: { chat: Chat; userIds: readonly number[]; isAdmin: boolean },
): void {
  if (chat.owner !== account.id) throw chatDenied("only for the owner");
  const permissions = fields.integer("permissions");
  if (isAdmin && permissions === undefined) throw fields.missing("permissions");
  if (permissions !== undefined && (permissions < 1 || permissions > allPermissions))
    throw badPayload(`permissions must be 1 to ${allPermissions}`);
  const members = userIds.map((id) => {
    const member = chat.participants.has(id) ? world.accounts.get(id) : undefined;
    if (!member) throw notFound("participant");
    return member;
  });
  for (const each of members)
    if (each.id !== chat.owner) setAdmin({ world, chat, from: session }, each, isAdmin);
}

function updateChat(call: MemberCall): unknown {
  const { world, account, session, fields } = call;
  const chat = needGroup(call);
  const place = { world, chat, from: session };
  if (!chat.admins.has(account.id)) throw chatDenied("only for administrators");
  const photoToken = fields.text("photoToken");
  const theme = fields.text("theme");
  if (theme !== undefined && (theme.trim() === "" || theme.length > mostTitle))
    throw badPayload(`theme must have 1 to ${mostTitle} characters`);
  const photo = photoToken === undefined ? undefined : world.media.byToken(photoToken);
  if (photoToken !== undefined && photo?.kind !== "photo") throw notFound("photo");
  chat.description = fields.text("description") ?? chat.description;
  if (photo) setPhoto(place, { photo, by: account });
  rename(place, { title: theme ?? chat.title ?? "", by: account });
  return { chat: chatShape(world, chat, account) };
}
