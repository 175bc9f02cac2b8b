import { writeAgain } from "../chat/write.ts";
import { takeBundle } from "../person/bundle.ts";
import type { Companion } from "../person/person.ts";
import type { Bundle } from "../signal/agreement.ts";
import { isGroupJid } from "../wire/jid.ts";
import { child, children, MalformedStanza, type Node, needBytes, needNumber, node } from "../wire/node.ts";
import type { World } from "../world.ts";

/** A linked device reports that messages reached it, were read, or could not be decrypted. */
export function handleReceipt(world: World, companion: Companion, stanza: Node): void {
  const { id, to, type, participant, recipient } = stanza.attrs;
  if (!id || !to) throw new MalformedStanza("id or to of a receipt");
  const more = children(child(stanza, "list"), "item").flatMap(({ attrs }) => attrs["id"] ?? []);
  const ids = [id, ...more];
  for (const each of ids) companion.confirm("message", each, (attrs) => isAbout(world, stanza, attrs));
  world.receipts.append({
    at: world.stamp(),
    phone: companion.person.phone,
    device: companion.device,
    type: type ?? "delivery",
    to,
    participant: participant ?? null,
    message_ids: ids,
  });
  companion.connection?.send(node("ack", { class: "receipt", id, from: to, type, participant, recipient }));
  if (type === "read" || type === "read-self") noteRead(world, companion, { ids, to });
  if (type === "retry") sendAgain(world, companion, stanza);
  world.changed();
}

/** Whether a receipt is about a message with these addresses: two people may use the same id. */
function isAbout(world: World, { attrs: receipt }: Node, message: Node["attrs"]): boolean {
  const isSame = (a: string | undefined, b: string | undefined): boolean => {
    const person = world.findByJid(a);
    return a === b || (person !== undefined && person === world.findByJid(b));
  };
  const mayBe = (name: "participant" | "recipient"): boolean =>
    receipt[name] === undefined || isSame(receipt[name], message[name]);
  return isSame(receipt["to"], message["from"]) && mayBe("participant") && mayBe("recipient");
}

function noteRead(world: World, { person }: Companion, { ids, to }: { ids: string[]; to: string }): void {
  const chat = isGroupJid(to) ? to : world.findByJid(to)?.phone;
  if (chat === undefined) return;
  for (const id of ids) {
    const author = person.chat(chat).get(id)?.from;
    const theirs = isGroupJid(chat) ? chat : person.phone;
    const seen = author === undefined ? undefined : world.people.get(author)?.chat(theirs).get(id);
    seen?.readBy.add(person.phone);
    person.unread.delete(id);
  }
}

/** The phone encrypts the message again: in a new session, with the keys in the receipt if there are any. */
function sendAgain(world: World, companion: Companion, stanza: Node): void {
  const { to = "", participant, recipient, id = "" } = stanza.attrs;
  const isOfMany = isGroupJid(to) || to.endsWith("@broadcast");
  const author = world.findByJid(isOfMany ? participant : to);
  if (!author) return;
  const echoed = author === companion.person ? world.findByJid(recipient) : companion.person;
  const chat = isGroupJid(to) ? world.groups.get(to) : echoed;
  if (!chat) return;
  const keys = child(stanza, "keys");
  const bundle = keys ? readBundle(stanza, keys) : takeBundle(world, companion);
  author.device.begin(companion.address, bundle);
  const count = Number(child(stanza, "retry")?.attrs["count"] ?? 1);
  writeAgain(world, author, companion, { id, chat, count });
}

function readBundle(stanza: Node, keys: Node): Bundle {
  const [skey, key] = [child(keys, "skey"), child(keys, "key")];
  return {
    registrationId: needNumber(stanza, "registration"),
    identityKey: needBytes(keys, "identity", 32),
    signedPreKey: {
      id: needNumber(skey, "id"),
      key: needBytes(skey, "value", 32),
      signature: needBytes(skey, "signature", 64),
    },
    preKey: key && { id: needNumber(key, "id"), key: needBytes(key, "value", 32) },
  };
}
