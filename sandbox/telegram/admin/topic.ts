import { AdminError, type Fields, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { GroupChat } from "../chat/chat.ts";
import { compose, tellGroup } from "../inbound.ts";
import type { Message } from "../shape.ts";
import type { World } from "../world.ts";
import { actor } from "./group-change.ts";

const blue = 7_322_096;

/** The topics of a forum, which people create, close and reopen. */
export function topicRoutes(world: World): AdminRoute[] {
  const groupOf = ({ params }: AdminCall) => world.group(params.needInteger("group_id"));
  const change = (isClosed: boolean) => (call: AdminCall) => setClosed(world, groupOf(call), call, isClosed);
  return [
    ["POST", "/groups/{group_id}/topics", (call) => createTopic(world, groupOf(call), call.body)],
    ["POST", "/groups/{group_id}/topics/{topic_id}/closings", change(true)],
    ["POST", "/groups/{group_id}/topics/{topic_id}/openings", change(false)],
  ];
}

/** `{name, user_id?}`: makes the supergroup a forum. */
function createTopic(world: World, group: GroupChat, body: Fields): unknown {
  if (group.shape.type !== "supergroup")
    throw new AdminError(409, "no_forum", `group ${group.shape.id} is no supergroup`);
  group.shape = { ...group.shape, is_forum: true };
  const id = group.lastMessageId + 1;
  const created = compose(world, group, actor(world, group, body), {
    message_thread_id: id,
    is_topic_message: true,
    forum_topic_created: { name: body.needText("name"), icon_color: blue },
  });
  group.topics.set(id, { created, isClosed: false });
  return told(world, group, created);
}

/** `{user_id?}` */
function setClosed(world: World, group: GroupChat, { params, body }: AdminCall, isClosed: boolean): unknown {
  const id = params.needInteger("topic_id");
  const topic = group.topics.get(id);
  if (!topic) throw missing("topic", id);
  topic.isClosed = isClosed;
  const message = compose(world, group, actor(world, group, body), {
    message_thread_id: id,
    is_topic_message: true,
    reply_to_message: topic.created,
    ...(isClosed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} }),
  });
  return told(world, group, message);
}

const told = (world: World, group: GroupChat, message: Message): unknown => ({
  message,
  update_ids: tellGroup(world, group, message),
});
