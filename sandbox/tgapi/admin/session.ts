import { missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { endLogin } from "../method/login.ts";
import type { AuthKey } from "../mtproto/auth-key.ts";
import { personByPhone } from "../world/directory.ts";
import type { OpenConnection, World } from "../world/world.ts";
import { describeKey } from "./describe.ts";

/** The logins of an account: ending them, and disturbing their connections. `any` is the newest login. */
export function sessionRoutes(world: World): AdminRoute[] {
  const base = "/people/{phone}/sessions";
  const one = `${base}/{session}`;
  const each = (act: (connection: OpenConnection) => void) => (call: AdminCall) =>
    onConnections(world, keyOf(world, call), act);
  return [
    ["GET", base, (call) => ({ items: keysOf(world, call).map((key) => describeKey(world, key)) })],
    ["DELETE", one, (call) => terminate(world, keyOf(world, call), call)],
    ["POST", `${one}/duplicates`, (call) => duplicate(world, keyOf(world, call))],
    ["POST", `${one}/drops`, each((connection) => connection.drop())],
    ["POST", `${one}/freezes`, each((connection) => connection.freeze())],
    ["POST", `${one}/thaws`, each((connection) => connection.thaw())],
    ["POST", `${one}/forgets`, (call) => forget(world, keyOf(world, call), call)],
    ["POST", `${one}/salts`, (call) => rotateSalts(world, keyOf(world, call))],
  ];
}

function keysOf(world: World, { params }: AdminCall): AuthKey[] {
  const { id } = personByPhone(world, params.needText("phone"));
  return [...world.keys.values()].filter(({ userId, isImported }) => userId === id && !isImported);
}

function keyOf(world: World, call: AdminCall): AuthKey {
  const name = call.params.needText("session");
  const keys = keysOf(world, call);
  const found = name === "any" ? keys.at(-1) : keys.find(({ hash }) => hash.toString() === name);
  if (!found) throw missing("session", name);
  return found;
}

/** Ended in the device list of the phone. `?reason=` is the text of the client's error. */
function terminate(world: World, key: AuthKey, { query }: AdminCall): unknown {
  endLogin(world, key, query.text("reason") ?? "AUTH_KEY_UNREGISTERED");
  return { session: key.hash.toString() };
}

/** The key was used from two places at once: it is invalid permanently. */
function duplicate(world: World, key: AuthKey): unknown {
  key.isDuplicated = true;
  world.note("duplicated", { key });
  world.changed();
  return onConnections(world, key, (connection) => connection.drop());
}

/** The server drops the MTProto sessions with all unconfirmed messages. `{drop?}`: breaks the connection too. */
function forget(world: World, key: AuthKey, { body }: AdminCall): unknown {
  const dropped = body.flag("drop") ?? true;
  const connections = connectionsOf(world, key);
  for (const session of world.sessions.values())
    if (session.key === key) world.forgetSession(key.id, session.id);
  if (dropped) for (const connection of connections) connection.drop();
  return { connections: connections.length };
}

/** The clients' salts are refused from now on. */
function rotateSalts(world: World, key: AuthKey): unknown {
  key.saltEpoch++;
  world.changed();
  return { salt_epoch: key.saltEpoch };
}

function onConnections(world: World, key: AuthKey, act: (connection: OpenConnection) => void): unknown {
  const connections = connectionsOf(world, key);
  for (const connection of connections) act(connection);
  return { connections: connections.length };
}

function connectionsOf(world: World, key: AuthKey): OpenConnection[] {
  return [...world.connections].filter(({ sessions }) => [...sessions].some((each) => each.key === key));
}
