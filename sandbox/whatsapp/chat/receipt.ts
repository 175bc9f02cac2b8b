import { bundleNodes } from "../person/bundle.ts";
import type { Owed, Person } from "../person/person.ts";
import type { OutgoingStanza } from "../stanza/outgoing.ts";
import { isGroupJid } from "../wire/jid.ts";
import { node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";

/** The type of a receipt; without a type: delivered. */
export type ReceiptType = "read" | "played" | undefined;

/** A message has reached a phone: it owes the receipts, and sends at once those that are not held back. */
export function owe(world: World, person: Person, owed: Owed): void {
  person.undelivered.set(owed.id, owed);
  person.unread.set(owed.id, owed);
  if (person.behaviour.deliveries === "auto") giveDeliveries(world, person, owed.id);
  if (person.behaviour.reads === "auto") giveReads(world, person, owed.id);
}

/** Delivery receipts for one message, or all that are owed; returns their ids. */
export function giveDeliveries(world: World, person: Person, id?: string): string[] {
  return give(world, person, person.undelivered, { id, type: undefined });
}

/**
 * Read receipts; messages not reported as delivered are reported first. With privacy `readreceipts: none` they are
 * not sent.
 */
export function giveReads(world: World, person: Person, id?: string): string[] {
  giveDeliveries(world, person, id);
  if (person.privacy.get("readreceipts") === "none") return [];
  return give(world, person, person.unread, { id, type: "read" });
}

/** Sends a receipt of any type to the author's linked devices. */
export function sendReceipt(world: World, person: Person, owed: Owed, type: ReceiptType): void {
  const from = owed.group ?? (owed.byLid ? person.lidJid : person.jid);
  const inGroup = owed.group !== undefined;
  for (const companion of owed.author.companions.values())
    companion.deliver(
      node("receipt", {
        from,
        id: owed.id,
        t: seconds(world.nowMs()),
        type,
        participant: inGroup ? person.lidJid : undefined,
        participant_pn: inGroup ? person.jid : undefined,
      }),
    );
}

/**
 * The phone confirms to a linked device of its own account that it received the device's message: `peer_msg` for
 * messages between the account's devices, `sender` for the copy of a message to others.
 */
export function confirmToOwnDevice(
  world: World,
  { from, id, to, chat }: Pick<OutgoingStanza, "from" | "id" | "to" | "chat">,
  isPeer: boolean,
): void {
  const { person } = from;
  const addresses =
    chat && "members" in chat
      ? { from: chat.id, participant: person.lidJid }
      : { from: person.jid, recipient: isPeer ? undefined : to };
  const t = seconds(world.nowMs());
  from.deliver(node("receipt", { ...addresses, id, t, type: isPeer ? "peer_msg" : "sender" }));
}

/**
 * Reports that a device's message could not be decrypted, and requests it again; from the second time on with keys
 * for a new session.
 */
export function askAgain(
  world: World,
  person: Person,
  owed: Owed,
  setup: { device: number; count: number },
): void {
  const companion = owed.author.companions.get(setup.device);
  const inGroup = owed.group !== undefined;
  const registration = Buffer.alloc(4);
  registration.writeUInt32BE(person.device.registrationId);
  const t = seconds(world.nowMs());
  companion?.deliver(
    node(
      "receipt",
      {
        from: owed.group ?? (owed.byLid ? person.lidJid : person.jid),
        id: owed.id,
        t,
        type: "retry",
        participant: inGroup ? person.lidJid : undefined,
      },
      [
        node("retry", { count: String(setup.count), id: owed.id, t, v: "1" }),
        node("registration", {}, registration),
        ...(setup.count > 1 ? [node("keys", {}, bundleNodes(person.device.issueBundle()))] : []),
      ],
    ),
  );
}

/** A receipt about a message in this conversation. */
export function owedFor(author: Person, message: { id: string; chat: string }, byLid = false): Owed {
  return { id: message.id, author, group: isGroupJid(message.chat) ? message.chat : undefined, byLid };
}

function give(
  world: World,
  person: Person,
  owing: Map<string, Owed>,
  { id, type }: { id: string | undefined; type: ReceiptType },
): string[] {
  const due = id === undefined ? [...owing.values()] : [owing.get(id)].filter((each) => each !== undefined);
  for (const owed of due) {
    owing.delete(owed.id);
    sendReceipt(world, person, owed, type);
    if (type === "read") tellOwnDevices(world, person, owed);
  }
  return due.map((owed) => owed.id);
}

/** Notifies the reader's devices that the phone has shown it. */
function tellOwnDevices(world: World, person: Person, { id, author, group }: Owed): void {
  const t = seconds(world.nowMs());
  const attributes =
    group === undefined
      ? { from: person.jid, recipient: author.jid }
      : { from: group, participant: person.lidJid, recipient: author.lidJid };
  for (const companion of person.companions.values())
    companion.deliver(node("receipt", { ...attributes, id, t, type: "read-self" }));
}
