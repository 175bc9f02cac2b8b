import { AdminError, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import type { CallbackServer, ServerStatus } from "../callback/server.ts";
import { addMessage, orderingKeyOf } from "../chat/conversation.ts";
import type { Community, SentRecord } from "../community.ts";
import type { World } from "../world.ts";
import { readContent } from "./content.ts";
import { waitForAnswer } from "./press.ts";

const statuses: readonly ServerStatus[] = ["unconfigured", "failed", "wait", "ok"];

/** Communities: creating them, reading what they do, and the actions of their people on VK. */
export function communityRoutes(world: World): AdminRoute[] {
  const of = ({ params }: AdminCall) => world.community(params.needInteger("group_id"));
  const below = "/communities/{group_id}";
  return [
    ["POST", "/communities", (call) => describe(addCommunity(world, call))],
    ["GET", "/communities", () => ({ items: [...world.communities.values()].map(describe) })],
    ["GET", below, (call) => describe(of(call))],
    ["POST", `${below}/switches`, (call) => describe(setSwitches(world, of(call), call))],
    ["GET", `${below}/sent`, (call) => of(call).sent.read(sentQuery(call))],
    ["POST", `${below}/replies`, (call) => reply(world, of(call), call)],
    ["GET", `${below}/presses/{event_id}`, (call) => describePress(of(call), call)],
    ["GET", `${below}/servers`, (call) => ({ items: [...of(call).servers.values()].map(describeServer) })],
    ["GET", `${below}/confirmations`, (call) => of(call).confirmations.read(journalQuery(call))],
    ["POST", `${below}/servers/{server_id}/statuses`, (call) => setStatus(world, of(call), call)],
    ["GET", `${below}/polls`, (call) => of(call).polls.read(journalQuery(call))],
    ["POST", `${below}/long_poll_failures`, (call) => failPoll(of(call), call)],
  ];
}

function addCommunity(world: World, { body }: AdminCall): Community {
  const id = body.integer("id");
  const name = body.text("name");
  const screenName = body.text("screen_name");
  const ownerId = body.integer("owner_id") ?? [...world.users.keys()][0] ?? world.putUser({}).id;
  return world.addCommunity({
    ownerId: world.user(ownerId).id,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(screenName !== undefined && { screenName }),
  });
}

/** `{messages?, bots?}`: the switches in the community's settings. */
function setSwitches(world: World, community: Community, { body }: AdminCall): Community {
  community.messagesEnabled = body.flag("messages") ?? community.messagesEnabled;
  community.botsEnabled = body.flag("bots") ?? community.botsEnabled;
  community.name = body.text("name") ?? community.name;
  community.screenName = body.text("screen_name") ?? community.screenName;
  world.changed();
  return community;
}

function sentQuery(call: AdminCall) {
  const peerId = call.query.integer("peer_id");
  const method = call.query.text("method");
  if (peerId === undefined && method === undefined) return journalQuery<SentRecord>(call);
  return journalQuery<SentRecord>(
    call,
    (sent) => (peerId ?? sent.peer_id) === sent.peer_id && (method ?? sent.method) === sent.method,
  );
}

/** `{peer_id, admin_author_id?, …}`: an administrator writes on VK's own page. */
async function reply(world: World, community: Community, { body }: AdminCall): Promise<unknown> {
  const peerId = body.needInteger("peer_id");
  const user = world.users.get(peerId);
  const dialog = community.dialogs.get(peerId) ?? (user && community.dialogWith(user));
  if (!dialog) throw missing("conversation", peerId);
  if (dialog.banned || !dialog.allowed)
    throw new AdminError(409, "not_allowed", "the person takes no messages");
  const content = await readContent({ world, community, dialog, fromId: -community.id }, body);
  const author = body.integer("admin_author_id") ?? community.ownerId;
  const message = addMessage(world, { community, dialog }, -community.id, {
    ...content,
    admin_author_id: author,
  });
  return { message, events: world.emit(community, "message_reply", message, orderingKeyOf(dialog)) };
}

async function describePress(community: Community, { params, query, signal }: AdminCall): Promise<unknown> {
  const id = params.needText("event_id");
  const press = community.presses.get(id);
  if (!press) throw missing("press", id);
  const answer = await waitForAnswer(community, id, query.integer("timeout_ms") ?? 0, signal);
  return { event_id: id, peer_id: press.peer_id, answer: answer ?? null };
}

function setStatus(world: World, community: Community, { params, body }: AdminCall): unknown {
  const id = params.needInteger("server_id");
  const server = community.servers.get(id);
  if (!server) throw missing("server", id);
  const status = statuses.find((name) => name === body.needText("status"));
  if (!status) throw invalid("status", statuses.join(", "));
  server.status = status;
  server.failures = 0;
  world.changed();
  return { server_id: id, status };
}

/** `{failed}`: 1 the events are lost, 2 the key is expired, 3 both. */
function failPoll(community: Community, { body }: AdminCall): unknown {
  const failed = body.needInteger("failed");
  if (failed !== 1 && failed !== 2 && failed !== 3) throw invalid("failed", "1, 2 or 3");
  community.longPoll.fail(failed);
  return { failed };
}

function describe(community: Community): object {
  const { id, name, screenName, ownerId, messagesEnabled, botsEnabled, confirmationCode, longPoll } =
    community;
  return {
    id,
    name,
    screen_name: screenName,
    owner_id: ownerId,
    messages: messagesEnabled,
    bots: botsEnabled,
    confirmation_code: confirmationCode,
    servers: [...community.servers.keys()],
    long_poll: { enabled: longPoll.enabled, key: longPoll.key, ts: longPoll.ts },
    peer_ids: [...community.dialogs.keys()],
    sent_total: community.sent.lastSeq,
  };
}

function describeServer(server: CallbackServer): object {
  const { id, url, title, secret, status, apiVersion, events, failures } = server;
  return { id, url, title, secret, status, api_version: apiVersion, events: [...events], failures };
}
