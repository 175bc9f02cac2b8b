import type { Fault } from "../fault.ts";
import type { Companion, Person } from "../person/person.ts";
import type { SentRecord, SentTo } from "../records.ts";
import { isGroupJid, parseJid } from "../wire/jid.ts";
import { bytesOf, child, children, MalformedStanza, type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import { arriveAtPhone } from "./arrival.ts";
import type { OutgoingStanza, Part } from "./outgoing.ts";
import { relay } from "./relay.ts";

/** A linked device sends a message: it gets an acknowledgement, and everyone it is encrypted for gets the message. */
export function handleMessage(world: World, from: Companion, stanza: Node): void {
  const outgoing = parse(world, from, stanza);
  const chat =
    outgoing.chat === undefined ? null : "members" in outgoing.chat ? outgoing.chat.id : outgoing.chat.phone;
  const fault = world.faults.take({ phone: from.person.phone, to: chat ?? undefined });
  const error = fault?.errorCode ?? whyRefused(world, outgoing);
  const ack = prepareAck(world, { outgoing, error, fault });
  // Before the receipts of those who get it.
  if (ack.state === ack.verdict) from.connection?.send(ack.stanza);
  const recipients = error === undefined ? deliver(world, outgoing) : [];
  const { type, edit, category } = stanza.attrs;
  const record = world.sent.append({
    at: world.stamp(),
    from: from.person.phone,
    device: from.device,
    message_id: outgoing.id,
    to: outgoing.to,
    chat,
    type: type ?? null,
    edit: edit ?? null,
    category: category ?? null,
    recipients,
    ack: ack.state,
  });
  if (ack.state === "held") hold(outgoing, ack, record);
  world.changed();
}

function parse(world: World, from: Companion, stanza: Node): OutgoingStanza {
  const { id, to } = stanza.attrs;
  if (!id || !to) throw new MalformedStanza("id or to of a message");
  const group = isGroupJid(to) ? world.groups.get(to) : undefined;
  const target = stanza.attrs["participant"] ?? to;
  const enc = children(stanza, "enc");
  const direct = enc.filter(({ attrs }) => attrs["type"] !== "skmsg").map((each) => [target, each] as const);
  const listed = children(child(stanza, "participants"), "to").flatMap((each) =>
    children(each, "enc").map((part) => [each.attrs["jid"] ?? "", part] as const),
  );
  const parts = [...direct, ...listed].map(([jid, part]) => ({
    jid,
    device: parseJid(jid)?.device ?? 0,
    person: world.findByJid(jid),
    enc: part,
  }));
  const groupText = bytesOf(enc.find(({ attrs }) => attrs["type"] === "skmsg"));
  const chat = group ?? world.findByJid(stanza.attrs["recipient"] ?? to);
  return { id, to, from, chat, stanza, parts, groupText };
}

/** The server's own reasons: not a member of the group, or a new chat of a restricted account. */
function whyRefused(world: World, { from, chat, to }: OutgoingStanza): number | undefined {
  if (isGroupJid(to)) {
    const isMember = chat !== undefined && "members" in chat && chat.members.has(from.person.phone);
    return isMember ? undefined : 403;
  }
  if (!chat || "members" in chat || chat === from.person) return undefined;
  if ((from.person.restrictedUntilMs ?? 0) <= world.nowMs()) return undefined;
  const known = from.person.chats.get(chat.phone)?.list() ?? [];
  return known.some((each) => each.from === chat.phone) ? undefined : 463;
}

function deliver(world: World, outgoing: OutgoingStanza): SentTo[] {
  const { from, parts, groupText, chat } = outgoing;
  const people = new Set(parts.flatMap(({ person }) => person ?? []));
  if (groupText && chat && "members" in chat) for (const each of world.membersOf(chat)) people.add(each);
  return [...people].flatMap((person) => {
    if (person.blocked.has(from.person.phone)) return [];
    const own = parts.filter((part) => part.person === person);
    const phoneParts = own.filter(({ device }) => device === 0);
    const atPhone = phoneParts.length > 0 || groupText ? reachPhone(world, person, outgoing, phoneParts) : [];
    const devices = [...person.companions.values()].filter((each) => each !== from);
    const atDevices = devices.flatMap((device) => relay(world, device, outgoing, own));
    return [...atPhone, ...atDevices];
  });
}

/** A phone that is offline gets it later. */
function reachPhone(
  world: World,
  person: Person,
  outgoing: OutgoingStanza,
  parts: readonly Part[],
): SentTo[] {
  if (person.absentSinceMs === undefined) return [arriveAtPhone(world, person, outgoing, parts)];
  person.waitingForPhone.push(() => arriveAtPhone(world, person, outgoing, parts));
  return [];
}

/** An acknowledgement: `verdict` is what it says, `state` the same if it leaves at once. */
interface Ack {
  readonly stanza: Node;
  readonly verdict: string;
  readonly state: SentRecord["ack"];
}

function prepareAck(
  world: World,
  setup: { outgoing: OutgoingStanza; error: number | undefined; fault: Fault | undefined },
): Ack {
  const { outgoing, error, fault } = setup;
  const { from, id, to } = outgoing;
  const stanza = node("ack", {
    class: "message",
    id,
    from: to,
    t: seconds(world.nowMs()),
    participant: outgoing.stanza.attrs["participant"],
    error: error === undefined ? undefined : String(error),
  });
  const verdict = error === undefined ? "sent" : String(error);
  if (fault && error === undefined) return { stanza, verdict, state: "lost" };
  return { stanza, verdict, state: from.person.behaviour.acks === "auto" ? verdict : "held" };
}

/** Keeps an acknowledgement until it is released. */
function hold({ from, id }: OutgoingStanza, { stanza, verdict }: Ack, record: SentRecord): void {
  from.person.heldAcks.set(id, () => {
    record.ack = verdict;
    from.connection?.send(stanza);
  });
}
