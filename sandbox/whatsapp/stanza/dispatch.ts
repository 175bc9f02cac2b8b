import type { Connection } from "../connection.ts";
import { handleIq } from "../iq/dispatch.ts";
import type { Registration } from "../link/registration.ts";
import type { Companion } from "../person/person.ts";
import { MalformedStanza, type Node, node } from "../wire/node.ts";
import type { World } from "../world.ts";
import { handleMessage } from "./message.ts";
import { handleReceipt } from "./receipt.ts";

/** Processes a client's stanza. Rejects if it violates the protocol. */
export async function handleStanza(
  world: World,
  connection: Connection,
  setup: { readonly registration: Registration | undefined; readonly stanza: Node },
): Promise<void> {
  const { stanza } = setup;
  if (stanza.tag === "iq") return handleIq(world, connection, setup);
  // Before it is linked, a client may only confirm stanzas.
  if (!connection.companion) {
    if (stanza.tag !== "ack" && stanza.tag !== "presence" && stanza.tag !== "ib")
      throw new MalformedStanza(`login before <${stanza.tag}>`);
    return;
  }
  takeFrom(world, connection.companion, stanza);
}

type StanzaHandler = (world: World, companion: Companion, stanza: Node) => void;

const handlers: Readonly<Record<string, StanzaHandler>> = {
  message: handleMessage,
  receipt: handleReceipt,
  ack: takeAck,
  call: takeCall,
  presence: takePresence,
  chatstate: takePresence,
  ib: () => undefined,
};

function takeFrom(world: World, companion: Companion, stanza: Node): void {
  const handler = handlers[stanza.tag];
  if (!handler) throw new MalformedStanza(`a known stanza instead of <${stanza.tag}>`);
  handler(world, companion, stanza);
}

function takeAck(world: World, companion: Companion, { attrs }: Node): void {
  const { id = "", class: name = "", to, participant, error } = attrs;
  companion.confirm(
    name,
    id,
    (attrs) =>
      (to ?? attrs["from"]) === attrs["from"] &&
      (participant ?? attrs["participant"]) === attrs["participant"],
  );
  world.acks.append({
    at: world.stamp(),
    phone: companion.person.phone,
    device: companion.device,
    class: name,
    message_id: id,
    error: error ?? null,
  });
  world.changed();
}

/** A device rejects a call. */
function takeCall(world: World, companion: Companion, stanza: Node): void {
  const { id, to } = stanza.attrs;
  companion.connection?.send(node("ack", { class: "call", id, from: to }));
  const what = Array.isArray(stanza.content) ? stanza.content[0] : undefined;
  world.note("call", companion, `${what?.tag ?? ""} ${what?.attrs["call-id"] ?? ""}`);
}

function takePresence(world: World, companion: Companion, stanza: Node): void {
  const what = Array.isArray(stanza.content) ? stanza.content[0]?.tag : stanza.attrs["type"];
  const parts = [what, stanza.attrs["to"]].filter((each) => each !== undefined);
  world.note(stanza.tag, companion, parts.join(" "));
}
