import type { proto } from "baileys/WAProto/index.js";
import { askAgain, confirmToOwnDevice, owe, owedFor } from "../chat/receipt.ts";
import { noteUnreadable, receive } from "../chat/receive.ts";
import { decodeMessage } from "../chat/seal.ts";
import { isGenuineIdentity } from "../link/identity.ts";
import type { Person } from "../person/person.ts";
import type { SentTo } from "../records.ts";
import { parsePreKeyMessage } from "../signal/message.ts";
import { ReadBefore } from "../signal/session.ts";
import { bytesOf, child } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { OutgoingStanza, Part } from "./outgoing.ts";

/** The decrypted part of a stanza for a phone, and its form. */
interface Opened {
  readonly message: proto.IMessage;
  readonly encryption: "pkmsg" | "msg" | "skmsg";
}

/** A linked device's stanza reaches a phone, which decrypts it and owes receipts. */
export function arriveAtPhone(
  world: World,
  person: Person,
  outgoing: OutgoingStanza,
  parts: readonly Part[],
): SentTo {
  const { from, id } = outgoing;
  const place = { phone: person.phone, device: 0 };
  const byLid = outgoing.to.endsWith("@lid");
  try {
    const opened = open(person, outgoing, parts);
    const echoed = opened.message.deviceSentMessage;
    const message = echoed?.message ?? opened.message;
    const chat = chatOf(world, person, outgoing, echoed?.destinationJid);
    const item = receive(world, person, {
      id,
      from: from.person,
      device: from.device,
      chat,
      message,
      encryption: opened.encryption,
    });
    const isPeer = outgoing.stanza.attrs["category"] === "peer";
    if (person === from.person) confirmToOwnDevice(world, outgoing, isPeer);
    else if (!isPeer) owe(world, person, owedFor(from.person, { id, chat }, byLid));
    return { ...place, kind: item.kind, text: item.text, problem: item.problem };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const chat = chatOf(world, person, outgoing, undefined);
    const encryption = outgoing.groupText
      ? "skmsg"
      : parts[0]?.enc.attrs["type"] === "pkmsg"
        ? "pkmsg"
        : "msg";
    noteUnreadable(world, person, { id, from: from.person, device: from.device, chat, encryption, problem });
    // A duplicate is no loss.
    const isLost = !(error instanceof ReadBefore) && person.chat(chat).get(id) === undefined;
    const count = person !== from.person && isLost ? person.countAsking(`${id} ${from.address}`) : undefined;
    if (count !== undefined)
      askAgain(world, person, owedFor(from.person, { id, chat }, byLid), { device: from.device, count });
    return { ...place, kind: null, text: null, problem };
  }
}

/** Group keys are in separate parts beside the text. */
function open(person: Person, outgoing: OutgoingStanza, parts: readonly Part[]): Opened {
  const { groupText, from, chat } = outgoing;
  const opened = parts.map((part) => openPart(person, outgoing, part));
  for (const { message } of opened) takeKey(person, from.address, message);
  if (!groupText) {
    const [only] = opened;
    if (!only) throw new Error("nothing is encrypted for this phone");
    return only;
  }
  if (!chat || !("members" in chat)) throw new Error("there is no such group");
  const plain = person.senderKeys.decrypt(`${chat.id} ${from.address}`, groupText);
  return { message: decodeMessage(plain), encryption: "skmsg" };
}

function openPart(person: Person, { from, stanza }: OutgoingStanza, { enc }: Part): Opened {
  const type = enc.attrs["type"];
  const ciphertext = bytesOf(enc);
  if ((type !== "pkmsg" && type !== "msg") || !ciphertext) throw new Error(`an enc of type ${type}`);
  if (type === "pkmsg") checkIdentity(from, ciphertext, bytesOf(child(stanza, "device-identity")));
  return { message: decodeMessage(person.device.decrypt(from.address, type, ciphertext)), encryption: type };
}

/** The first texts of a linked device include the proof that its account has linked it. */
function checkIdentity(from: OutgoingStanza["from"], ciphertext: Buffer, proof: Buffer | undefined): void {
  const { identityKey } = parsePreKeyMessage(ciphertext);
  if (!identityKey.equals(from.keys.identityKey)) throw new Error("the identity key is not the device's");
  const expected = { account: from.person.device.identity.publicKey, deviceIdentity: identityKey };
  if (!proof || !isGenuineIdentity(proof, expected)) throw new Error("no proof that the device is linked");
}

function takeKey(person: Person, author: string, message: proto.IMessage): void {
  const { groupId, axolotlSenderKeyDistributionMessage: key } = message.senderKeyDistributionMessage ?? {};
  if (groupId && key) person.senderKeys.accept(`${groupId} ${author}`, key);
}

/** The conversation of this phone that the message belongs to. */
function chatOf(
  world: World,
  person: Person,
  { from, chat, to }: OutgoingStanza,
  destination?: string | null,
): string {
  if (chat && "members" in chat) return chat.id;
  if (person !== from.person) return from.person.phone;
  const other = destination ? world.findByJid(destination) : chat;
  return other && "phone" in other ? other.phone : (destination ?? to);
}
