import { randomBytes } from "node:crypto";
import type { proto } from "baileys/WAProto/index.js";
import type { Connection, ConnectionEvents } from "./connection.ts";
import { dropCodeLinks } from "./link/code.ts";
import { beginRegistration } from "./link/pairing.ts";
import type { Registration } from "./link/registration.ts";
import type { Companion } from "./person/person.ts";
import { handleStanza } from "./stanza/dispatch.ts";
import { sendWaiting } from "./stanza/waiting.ts";
import { MalformedStanza, type Node, node, seconds, serverName } from "./wire/node.ts";
import type { World } from "./world.ts";

/** The namespace of faults of the login. */
export const loginFault = "login";

/** Connects the world to a connection's login, stanzas and end. */
export function connectionEvents(world: World): ConnectionEvents {
  const registrations = new Map<Connection, Registration>();
  return {
    onHello: (connection, payload) => {
      if (!payload.devicePairingData) return logIn(world, connection, payload);
      registrations.set(connection, beginRegistration(world, connection, payload.devicePairingData));
    },
    onStanza: (connection, stanza) =>
      handleStanza(world, connection, { registration: registrations.get(connection), stanza }),
    onViolation: (connection, error) => world.note("violation", connection.companion, error.message),
    onClosed: (connection) => {
      const registration = registrations.get(connection);
      if (registration) endRegistration(world, registration);
      registrations.delete(connection);
      const { companion } = connection;
      if (companion?.connection !== connection) return;
      companion.connection = undefined;
      companion.isReady = false;
      world.note("closed", companion);
    },
  };
}

/** Notifies the earlier connection of a device that there is a later one. */
export function replace(world: World, companion: Companion): void {
  const { connection } = companion;
  companion.connection = undefined;
  companion.isReady = false;
  connection?.end(node("stream:error", {}, [node("conflict", { type: "replaced" })]));
  world.note("replaced", companion);
}

/** A login is valid only with the static key that the device was linked with. */
function logIn(world: World, connection: Connection, payload: proto.ClientPayload): void {
  const phone = String(payload.username ?? "");
  const companion = world.people.get(phone)?.companions.get(payload.device ?? 0);
  const isGenuine = companion?.keys.noiseKey.equals(connection.clientStatic) === true;
  const fault = world.faults.take({ phone, xmlns: loginFault });
  const reason = fault?.errorCode ?? (isGenuine ? undefined : 401);
  if (reason !== undefined || !companion) {
    world.note("refused", companion ?? world.people.get(phone), String(reason));
    connection.end(failure(reason ?? 401));
    return;
  }
  if (companion.connection) replace(world, companion);
  connection.companion = companion;
  companion.connection = connection;
  world.note("login", companion, howConnected(connection));
  const t = seconds(world.nowMs());
  connection.send(node("success", { t, lid: companion.lid, props: "27", companion_enc_static: "" }));
  // Routing data to send before the first frame of the next connection.
  const routing = node("routing_info", {}, randomBytes(6));
  connection.send(node("ib", { from: serverName }, [node("edge_routing", {}, [routing])]));
  if (!payload.passive) sendWaiting(world, companion);
}

/** Whether the client sent routing data, and whether it knew the server's key. */
function howConnected({ routing, isResumed }: Connection): string | undefined {
  const marks = [...(routing ? ["routed"] : []), ...(isResumed ? ["resumed"] : [])];
  return marks.length === 0 ? undefined : marks.join(" ");
}

function failure(reason: number): Node {
  if (reason < 400 || reason > 599) throw new MalformedStanza("a reason of 400 to 599");
  return node("failure", { reason: String(reason), location: "sandbox" });
}

function endRegistration(world: World, registration: Registration): void {
  for (const ref of registration.refs) world.registrations.delete(ref);
  registration.close();
  dropCodeLinks(world, registration);
}
