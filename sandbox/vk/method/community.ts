import { avatarUrl } from "../../avatar.ts";
import {
  type AnyCall,
  anyMethod,
  type GroupCall,
  groupMethod,
  type Method,
  type MethodTable,
} from "../call/call.ts";
import type { ParamTypes } from "../call/param.ts";
import { type Right, rightBits } from "../call/token.ts";
import { badParam } from "../call/vk-error.ts";
import { communityShape, userShape } from "../chat/profile.ts";
import { callbackEvents, longPollEvents } from "../event-type.ts";

/** Information about communities and people. */
export const communityMethods: MethodTable = {
  "groups.getTokenPermissions": groupMethod(undefined, {}, getPermissions),
  "groups.getById": anyMethod({ group_ids: "texts", group_id: "text", fields: "texts" }, getById),
  "groups.get": {
    caller: "user",
    params: {
      user_id: "integer",
      extended: "flag",
      filter: "texts",
      fields: "texts",
      offset: "integer",
      count: "integer",
    },
    run: getAdministered,
  } satisfies Method,
  "users.get": anyMethod(
    { user_ids: "texts", fields: "texts", name_case: "text", from_group_id: "integer" },
    getUsers,
  ),
  "apps.get": anyMethod({ app_id: "integer", app_ids: "integers", fields: "texts" }, getApps),
  "groups.getLongPollServer": groupMethod("manage", {}, ({ world, community }) => {
    const { longPoll } = community;
    if (!longPoll.enabled) throw badParam("longpoll for this group is not enabled");
    return { key: longPoll.key, server: `${world.url()}/longpoll/${community.id}`, ts: String(longPoll.ts) };
  }),
  "groups.getLongPollSettings": groupMethod("manage", {}, ({ community }) => ({
    is_enabled: community.longPoll.enabled,
    api_version: community.longPoll.apiVersion,
    // The object has the names of callback servers, including events that long polling does not support.
    events: eventFlags(callbackEvents, community.longPoll.events),
  })),
  "groups.setLongPollSettings": groupMethod(
    "manage",
    { enabled: "flag", api_version: "text", ...eventParams(longPollEvents) },
    ({ params, community, world }) => {
      const { longPoll } = community;
      if (params.text("enabled") !== undefined) longPoll.enabled = params.flag("enabled");
      longPoll.apiVersion = params.text("api_version") ?? longPoll.apiVersion;
      longPoll.events = changedEvents(params.values, longPollEvents, longPoll.events);
      world.changed();
      return 1;
    },
  ),
};

export function eventParams(names: readonly string[]): ParamTypes {
  return Object.fromEntries(names.map((name) => [name, "flag" as const]));
}

export function eventFlags(names: readonly string[], events: ReadonlySet<string>): Record<string, 0 | 1> {
  return Object.fromEntries(names.map((name) => [name, events.has(name) ? 1 : 0]));
}

/** Only the given fields change. */
export function changedEvents(
  values: Readonly<Record<string, string>>,
  names: readonly string[],
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    names.filter((name) => {
      const value = values[name];
      return value === undefined ? before.has(name) : /^(1|true)$/.test(value);
    }),
  );
}

function getPermissions({ token }: GroupCall): unknown {
  const rights = (Object.keys(rightBits) as Right[]).filter((right) => token.scopes.includes(right));
  const permissions = rights.map((name) => ({ name, setting: rightBits[name] }));
  return { mask: permissions.reduce((mask, { setting }) => mask | setting, 0), permissions };
}

/** Ids or screen names; default: the community of the key. */
function getById({ params, community, world }: AnyCall): unknown {
  const wanted = params.texts("group_ids") ?? params.texts("group_id");
  const all = [...world.communities.values()];
  const find = (name: string) => all.find(({ id, screenName }) => String(id) === name || screenName === name);
  const found = wanted ? wanted.map(find).filter((each) => each !== undefined) : community ? [community] : [];
  if (found.length === 0) throw badParam("group_ids is undefined");
  const fields = params.texts("fields") ?? [];
  return { groups: found.map((each) => communityShape(world, each, fields)), profiles: [] };
}

function getAdministered({ params, token, world }: AnyCall): unknown {
  const filter = params.texts("filter") ?? [];
  if (!filter.includes("admin")) throw badParam("filter: only admin is supported by this emulator");
  const own = [...world.communities.values()].filter(({ ownerId }) => ownerId === token.userId);
  const isExtended = params.flag("extended");
  const fields = params.texts("fields") ?? [];
  const items = isExtended ? own.map((each) => communityShape(world, each, fields)) : own.map(({ id }) => id);
  return { count: own.length, items };
}

/** Apps that exist; unknown ones are omitted. */
function getApps({ params, world }: AnyCall): unknown {
  const wanted = params.integers("app_ids") ?? [params.needInteger("app_id")];
  const found = wanted.map((id) => world.apps.get(id)).filter((app) => app !== undefined);
  const items = found.map(({ id, name }) => ({
    id,
    title: name,
    type: "site",
    icon_139: avatarUrl(world.url(), "139"),
  }));
  return { count: items.length, items };
}

/** Ids or screen names; unknown people are omitted. */
function getUsers({ params, token, world }: AnyCall): unknown {
  const wanted = params.texts("user_ids") ?? (token.userId === undefined ? [] : [String(token.userId)]);
  const all = [...world.users.values()];
  const find = (name: string) =>
    all.find(({ id, screen_name }) => String(id) === name || screen_name === name);
  const fields = params.texts("fields") ?? [];
  return wanted
    .map(find)
    .filter((user) => user !== undefined)
    .map((user) => userShape(world, user, fields));
}
