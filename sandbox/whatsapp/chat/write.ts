import type { proto } from "baileys/WAProto/index.js";
import type { Group } from "../group.ts";
import type { Companion, Person, Writing } from "../person/person.ts";
import { type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import { owe, owedFor } from "./receipt.ts";
import { receive } from "./receive.ts";
import { encNode, encodeMessage, sealFor, stanzaTypeOf } from "./seal.ts";

const keptWritings = 1000;

/** Writes from a phone to everyone's phone and all linked devices; those of the sender get an echo. */
export function write(world: World, from: Person, writing: Writing): Companion[] {
  remember(from, writing);
  const people = "members" in writing.to ? world.membersOf(writing.to) : [from, writing.to];
  for (const person of new Set(people)) receiveAtPhone(world, person, from, writing);
  const targets = [...new Set(people)].flatMap(({ companions }) => [...companions.values()]);
  const group = sealForGroup(from, writing);
  for (const target of targets) target.deliver(stanzaFor(world, { from, target, writing }, group));
  world.changed();
  return targets;
}

/** Sends a message again to a device that could not decrypt it, in a new session. */
export function writeAgain(
  world: World,
  from: Person,
  target: Companion,
  attempt: { id: string; chat: Person | Group; count: number },
): void {
  const writing = from.written.get(writtenName(attempt.id, attempt.chat));
  if (!writing || writing.unrepeatable) return;
  const distribution = "members" in writing.to ? keyMessage(from, writing.to) : {};
  const isOwn = isEcho(from, target, writing);
  const content = { ...((isOwn ? undefined : writing.sealed) ?? writing.message), ...distribution };
  const message = isOwn ? sentByUs(writing, content) : content;
  const enc = sealFor(world, { from, to: target, message }, { count: attempt.count });
  target.deliver(stanzaOf(world, { from, target, writing }, [enc]));
}

/** The name of the conversation in messages for `to`. */
export function addressOf(to: Person | Group): string {
  return "members" in to ? to.id : to.jid;
}

/** Two conversations may have messages with the same id. */
function writtenName(id: string, to: Person | Group): string {
  return `${id} ${addressOf(to)}`;
}

interface Sending {
  readonly from: Person;
  readonly target: Companion;
  readonly writing: Writing;
}

function remember(from: Person, writing: Writing): void {
  from.written.set(writtenName(writing.id, writing.to), writing);
  const [oldest] = from.written.keys();
  if (from.written.size > keptWritings && oldest !== undefined) from.written.delete(oldest);
}

function receiveAtPhone(world: World, person: Person, from: Person, writing: Writing): void {
  const chat = "members" in writing.to ? writing.to.id : person === from ? writing.to.phone : from.phone;
  const { id, message } = writing;
  const item = receive(world, person, { id, from, device: 0, chat, message, encryption: null });
  if (person !== from && !item.duplicate)
    owe(world, person, owedFor(from, { id, chat }, writing.addressing !== "pn"));
}

function stanzaFor(world: World, sending: Sending, group: GroupSeal | undefined): Node {
  const { from, target, writing } = sending;
  if (writing.withheld) return stanzaOf(world, sending, [node("unavailable", { type: "view_once" })]);
  if (!group) {
    const { message, sealed = message, corrupt } = writing;
    const content = isEcho(from, target, writing) ? sentByUs(writing, message) : sealed;
    return stanzaOf(world, sending, [sealFor(world, { from, to: target, message: content }, { corrupt })]);
  }
  const name = `${addressOf(writing.to)} ${from.phone}`;
  if (target.senderKeys.has(name)) return stanzaOf(world, sending, [group.text()]);
  target.senderKeys.add(name);
  return stanzaOf(world, sending, [sealFor(world, { from, to: target, message: group.key }), group.text()]);
}

/** A text encrypted once for the group, the same for all devices, and the key before it. */
interface GroupSeal {
  readonly key: proto.IMessage;
  readonly text: () => Node;
}

function sealForGroup(
  from: Person,
  { to, message: plain, sealed: message = plain, corrupt }: Writing,
): GroupSeal | undefined {
  if (!("members" in to)) return undefined;
  const key = keyMessage(from, to);
  const sealed = from.groupKey(to.id).encrypt(encodeMessage(message));
  return { key, text: () => encNode("skmsg", Buffer.from(sealed), message, { corrupt }) };
}

function keyMessage(from: Person, group: Group): proto.IMessage {
  return {
    senderKeyDistributionMessage: {
      groupId: group.id,
      axolotlSenderKeyDistributionMessage: from.groupKey(group.id).distribution(),
    },
  };
}

function isEcho(from: Person, target: Companion, { to }: Writing): boolean {
  return target.person === from && !("members" in to);
}

function sentByUs({ to }: Writing, message: proto.IMessage): proto.IMessage {
  return { deviceSentMessage: { destinationJid: addressOf(to), message } };
}

function stanzaOf(world: World, { from, target, writing }: Sending, content: Node[]): Node {
  const { id, message, edit } = writing;
  const attributes = {
    id,
    type: stanzaTypeOf(message),
    t: seconds(world.nowMs()),
    notify: from.name,
    edit,
    ...addresses(from, target, writing),
  };
  return node("message", attributes, content);
}

function addresses(
  from: Person,
  target: Companion,
  { to, addressing, list }: Writing,
): Record<string, string | undefined> {
  const pn = addressing === "pn";
  const withNumber = addressing !== "lid_only";
  if ("members" in to)
    return {
      from: to.id,
      participant: from.lidJid,
      participant_pn: withNumber ? from.jid : undefined,
      addressing_mode: "lid",
    };
  if (target.person === from)
    return pn
      ? { from: from.jid, recipient: to.jid, peer_recipient_lid: to.lidJid }
      : {
          from: from.lidJid,
          recipient: to.lidJid,
          peer_recipient_pn: withNumber ? to.jid : undefined,
          addressing_mode: "lid",
        };
  if (list !== undefined)
    return pn
      ? { from: `${list}@broadcast`, participant: from.jid, participant_lid: from.lidJid }
      : {
          from: `${list}@broadcast`,
          participant: from.lidJid,
          participant_pn: withNumber ? from.jid : undefined,
          addressing_mode: "lid",
        };
  return pn
    ? { from: from.jid, sender_lid: from.lidJid }
    : { from: from.lidJid, sender_pn: withNumber ? from.jid : undefined, addressing_mode: "lid" };
}
