import { type GroupCall, groupMethod, type MethodTable } from "../call/call.ts";
import { badParam } from "../call/vk-error.ts";
import type { Dialog } from "../chat/dialog.ts";
import { communityShape, userShape } from "../chat/profile.ts";
import type { Message } from "../shape.ts";
import { knownDialog } from "./target.ts";

const maxCount = 200;
const defaultCount = 20;

/** Requests the people and communities in addition to the items. */
export const extended = { extended: "flag", fields: "texts" } as const;

/** Earlier messages, for a community that was offline. */
export const historyMethods: MethodTable = {
  "messages.getById": groupMethod(
    "messages",
    {
      message_ids: "integers",
      preview_length: "integer",
      cmids: "integers",
      peer_id: "integer",
      ...extended,
    },
    (call) => {
      const { params, community } = call;
      const cmids = params.integers("cmids");
      if (cmids) return withPeople(call, byCmids(knownDialog(call, params.needInteger("peer_id")), cmids));
      const ids = params.integers("message_ids");
      if (!ids) throw badParam("message_ids is undefined");
      const found = ids.map((id) => community.messageById(id)?.message);
      return withPeople(
        call,
        found.filter((message) => message !== undefined),
      );
    },
  ),
  "messages.getByConversationMessageId": groupMethod(
    "messages",
    { peer_id: "integer", conversation_message_ids: "integers", ...extended },
    (call) => {
      const { params } = call;
      const dialog = knownDialog(call, params.needInteger("peer_id"));
      const cmids = params.integers("conversation_message_ids");
      if (!cmids) throw badParam("conversation_message_ids is undefined");
      return withPeople(call, byCmids(dialog, cmids));
    },
  ),
  "messages.getHistory": groupMethod(
    "messages",
    {
      offset: "integer",
      count: "integer",
      user_id: "integer",
      peer_id: "integer",
      start_message_id: "integer",
      rev: "flag",
      ...extended,
    },
    getHistory,
  ),
};

function byCmids(dialog: Dialog, cmids: readonly number[]): Message[] {
  return cmids.map((cmid) => dialog.get(cmid)).filter((message) => message !== undefined);
}

/** Newest first, or with `rev` oldest first. */
function getHistory(call: GroupCall): unknown {
  const { params } = call;
  const dialog = knownDialog(call, params.integer("peer_id") ?? params.needInteger("user_id"));
  const newest = dialog.newest().toSorted((a, b) => b.conversation_message_id - a.conversation_message_id);
  const start = params.integer("start_message_id");
  const ordered = params.flag("rev") ? newest.reverse() : newest;
  const from =
    start === undefined
      ? 0
      : Math.max(
          0,
          ordered.findIndex(({ id }) => id === start),
        );
  return withPeople(call, page(call, ordered.slice(from)), newest.length);
}

/** The part of a list that `offset` and `count` name. */
export function page<T>({ params }: GroupCall, items: readonly T[]): readonly T[] {
  const count = params.integer("count") ?? defaultCount;
  const offset = params.integer("offset") ?? 0;
  if (count < 0 || count > maxCount) throw badParam(`count should be between 0 and ${maxCount}`);
  return items.slice(offset, offset + count);
}

function withPeople(call: GroupCall, items: readonly Message[], count = items.length): object {
  const { params, world, community } = call;
  if (!params.flag("extended")) return { count, items };
  const authors = new Set(items.map(({ from_id }) => from_id));
  const users = [...authors].map((id) => world.users.get(id)).filter((user) => user !== undefined);
  const fields = params.texts("fields") ?? [];
  return {
    count,
    items,
    profiles: users.map((user) => userShape(world, user, fields)),
    groups: [communityShape(world, community, fields)],
  };
}
