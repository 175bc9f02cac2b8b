import { type GroupCall, groupMethod, type MethodTable } from "../call/call.ts";
import { badParam, VkError } from "../call/vk-error.ts";
import { confirmServer } from "../callback/confirm.ts";
import { ownerOf } from "../callback/rules.ts";
import type { CallbackServer } from "../callback/server.ts";
import { callbackEvents } from "../event-type.ts";
import { changedEvents, eventFlags, eventParams } from "./community.ts";

const maxServers = 10;
const maxTitle = 14;
const maxSecret = 50;

const address = { url: "text", title: "text", secret_key: "text" } as const;

/** The callback servers of a community and their subscriptions. */
export const callbackServerMethods: MethodTable = {
  "groups.getCallbackConfirmationCode": groupMethod("manage", {}, ({ community }) => ({
    code: community.confirmationCode,
  })),
  "groups.addCallbackServer": groupMethod("manage", address, addServer),
  "groups.editCallbackServer": groupMethod("manage", { server_id: "integer", ...address }, editServer),
  "groups.deleteCallbackServer": groupMethod("manage", { server_id: "integer" }, (call) => {
    const server = serverOf(call);
    call.community.servers.delete(server.id);
    call.world.callbacks.drop(ownerOf(call.community, server));
    call.world.changed();
    return 1;
  }),
  "groups.getCallbackServers": groupMethod("manage", { server_ids: "integers" }, ({ params, community }) => {
    const wanted = params.integers("server_ids");
    const servers = [...community.servers.values()].filter(({ id }) => wanted?.includes(id) ?? true);
    return { count: servers.length, items: servers.map(describeServer) };
  }),
  "groups.getCallbackSettings": groupMethod("manage", { server_id: "integer" }, (call) => {
    const { apiVersion, events } = serverOf(call);
    return { api_version: apiVersion, events: eventFlags(callbackEvents, events) };
  }),
  "groups.setCallbackSettings": groupMethod(
    "manage",
    { server_id: "integer", api_version: "text", ...eventParams(callbackEvents) },
    (call) => {
      const { params, world } = call;
      const server = serverOf(call);
      server.apiVersion = params.text("api_version") ?? server.apiVersion;
      server.events = changedEvents(params.values, callbackEvents, server.events);
      world.changed();
      return 1;
    },
  ),
};

async function addServer(call: GroupCall): Promise<unknown> {
  const { community, world } = call;
  if (community.servers.size >= maxServers) throw new VkError(2000);
  community.lastServerId++;
  const server: CallbackServer = {
    id: community.lastServerId,
    creatorId: community.ownerId,
    ...readAddress(call),
    status: "unconfigured",
    apiVersion: call.params.values["v"] ?? "5.199",
    events: new Set(),
    failures: 0,
  };
  community.servers.set(server.id, server);
  world.changed();
  await confirm(call, server);
  return { server_id: server.id };
}

async function editServer(call: GroupCall): Promise<unknown> {
  const server = Object.assign(serverOf(call), readAddress(call));
  call.world.changed();
  await confirm(call, server);
  return 1;
}

/** Requests the code from the address. The response to the call does not wait for it, unless a setting says so. */
async function confirm({ community, world }: GroupCall, server: CallbackServer): Promise<void> {
  const { confirmation, callbackTimeoutMs: timeoutMs, confirmationSecret } = world.settings;
  const { url } = server;
  const secret = confirmationSecret && server.secret !== "" ? server.secret : undefined;
  server.status = "wait";
  const ask = async () => {
    const challenge = { code: community.confirmationCode, secret, timeoutMs };
    const isConfirmed = await confirmServer(url, community.id, challenge);
    if (server.url !== url) return;
    server.status = isConfirmed ? "ok" : "failed";
    server.failures = 0;
    community.confirmations.append({ server_id: server.id, url, status: server.status });
    world.changed();
  };
  const asked = ask();
  if (confirmation === "before_answer") await asked;
}

function readAddress({ params }: GroupCall): Pick<CallbackServer, "url" | "title" | "secret"> {
  const url = params.needText("url");
  const title = params.needText("title");
  const secret = params.text("secret_key") ?? "";
  const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isHttp) throw badParam("url is invalid");
  if ([...title].length > maxTitle) throw badParam(`title should be maximum ${maxTitle} letters length`);
  if ([...secret].length > maxSecret)
    throw badParam(`secret_key should be maximum ${maxSecret} letters length`);
  return { url, title, secret };
}

function serverOf({ params, community }: GroupCall): CallbackServer {
  const server = community.servers.get(params.needInteger("server_id"));
  if (!server) throw new VkError(104);
  return server;
}

function describeServer({ id, title, creatorId, url, secret, status }: CallbackServer): object {
  return { id, title, creator_id: creatorId, url, secret_key: secret, status };
}
