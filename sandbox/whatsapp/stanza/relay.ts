import type { Companion } from "../person/person.ts";
import type { SentTo } from "../records.ts";
import { child, type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { OutgoingStanza, Part } from "./outgoing.ts";

/** Forwards data encrypted for another linked device. */
export function relay(
  world: World,
  target: Companion,
  outgoing: OutgoingStanza,
  parts: readonly Part[],
): SentTo[] {
  const own = parts.filter(({ device }) => device === target.device).map(({ enc }) => enc);
  const groupText = children(outgoing);
  if (own.length === 0 && groupText.length === 0) return [];
  const { id, stanza, from } = outgoing;
  const identity = child(stanza, "device-identity");
  target.deliver(
    node(
      "message",
      {
        id,
        type: stanza.attrs["type"],
        edit: stanza.attrs["edit"],
        t: seconds(world.nowMs()),
        notify: from.person.name,
        ...addresses(target, outgoing),
      },
      [...own, ...groupText, ...(identity ? [identity] : [])],
    ),
  );
  return [{ phone: target.person.phone, device: target.device, kind: null, text: null, problem: null }];
}

function children({ stanza, groupText }: OutgoingStanza): Node[] {
  const content = Array.isArray(stanza.content) ? stanza.content : [];
  return groupText ? content.filter(({ tag, attrs }) => tag === "enc" && attrs["type"] === "skmsg") : [];
}

function addresses(
  target: Companion,
  { from, to, chat }: OutgoingStanza,
): Record<string, string | undefined> {
  if (chat && "members" in chat)
    return { from: chat.id, participant: from.lid, participant_pn: from.jid, addressing_mode: "lid" };
  if (target.person === from.person)
    return {
      from: from.jid,
      recipient: to,
      peer_recipient_lid: chat && "lidJid" in chat ? chat.lidJid : undefined,
    };
  return to.endsWith("@lid")
    ? { from: from.lid, sender_pn: from.jid, addressing_mode: "lid" }
    : { from: from.jid, sender_lid: from.lid };
}
