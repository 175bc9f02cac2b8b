import type { tl } from "@mtcute/core";
import type Long from "long";
import { idFor } from "../render/message.ts";
import { renderChange, renderGroupChange, wrapUpdates } from "../render/updates.ts";
import type { Call } from "../rpc/call.ts";
import { bad, RpcError } from "../rpc/error.ts";
import { resolvePeer } from "../rpc/peer.ts";
import { groupOf, personById } from "../world/directory.ts";
import { letterAt } from "../world/find.ts";
import type { Draft } from "../world/letter.ts";
import type { PeerRef } from "../world/peer.ts";
import { type Posted, post } from "../world/post.ts";
import { kindOf } from "../world/summary.ts";

/** How many `random_id`s of an account are remembered. */
const keptRandomIds = 10_000;

/** The content of a client's message, without the recipient. */
export type OutgoingContent = Omit<Draft, "from" | "to"> & { readonly randomId: Long };

/** Checks that the account may write there; returns the peer. */
export function openTarget(call: Call, input: tl.TypeInputPeer): PeerRef {
  const peer = resolvePeer(call, input);
  if (peer.kind === "user") checkPerson(call, peer);
  else checkGroup(call, peer);
  return peer;
}

/** Writes a client's message, once for each `random_id`. */
export function send(call: Call, to: PeerRef, { randomId, ...content }: OutgoingContent): Posted {
  const { world, person, session } = call;
  checkRandomId(call, randomId);
  const posted = post(world, { ...content, from: person.id, to }, session);
  person.randomIds.set(randomId.toString(), idFor(posted.letter, person));
  world.sent.append({
    at: world.stamp(),
    phone: person.phone,
    action: "message",
    chat: world.nameOfPeer(to),
    message_ids: [idFor(posted.letter, person)],
    random_id: randomId.toString(),
    kind: kindOf(world, posted.letter),
    text: posted.letter.text,
  });
  return posted;
}

/** The response to a send: the id for each `random_id`, and the messages. */
export function sentUpdates(
  { world, person }: Call,
  sent: readonly { readonly randomId: Long; readonly posted: Posted }[],
): tl.RawUpdates {
  const ids = sent.map(
    ({ randomId, posted }): tl.TypeUpdate => ({
      _: "updateMessageID",
      id: idFor(posted.letter, person),
      randomId,
    }),
  );
  const messages = sent.flatMap(({ posted: { letter, change } }): tl.TypeUpdate[] => {
    const group = groupOf(world, letter.to);
    const update =
      group?.kind === "channel"
        ? renderGroupChange(world, person, { group, change })
        : renderChange(world, person, change);
    return update ? [update] : [];
  });
  return wrapUpdates(world, person, [...ids, ...messages]);
}

/** The message that a message quotes. */
export function readReply(
  call: Call,
  peer: PeerRef,
  reply: tl.TypeInputReplyTo | undefined,
): number | undefined {
  if (!reply) return undefined;
  if (reply._ !== "inputReplyToMessage") throw bad("REPLY_TO_INVALID");
  const letter = letterAt(call.world, call.person, peer, reply.replyToMsgId);
  if (!letter) throw bad("REPLY_MESSAGE_ID_INVALID");
  return letter.number;
}

/** Refuses a `random_id` that is already used. */
export function checkRandomId({ person }: Call, randomId: Long): void {
  if (randomId.isZero()) throw bad("RANDOM_ID_EMPTY");
  if (person.randomIds.has(randomId.toString())) throw new RpcError(500, "RANDOM_ID_DUPLICATE");
  for (const oldest of person.randomIds.keys()) {
    if (person.randomIds.size < keptRandomIds) return;
    person.randomIds.delete(oldest);
  }
}

function checkPerson({ world, person: sender }: Call, peer: PeerRef): void {
  const reader = personById(world, peer.id);
  if (reader.status !== "active") throw bad("INPUT_USER_DEACTIVATED");
  if (sender.blocked.has(reader.id)) throw bad("YOU_BLOCKED_USER");
  const dialog = sender.dialogs.get(`user${reader.id}`);
  const isKnown = (dialog?.topId ?? 0) > 0 || reader.contacts.has(sender.id) || reader === sender;
  if (isKnown) return;
  if (sender.restrictedUntil > world.clock.now()) throw bad("PEER_FLOOD");
  if (reader.writers === "contacts") throw new RpcError(403, "USER_PRIVACY_RESTRICTED");
  if (reader.writers === "premium") throw new RpcError(406, "PRIVACY_PREMIUM_REQUIRED");
}

function checkGroup({ world, person }: Call, peer: PeerRef): void {
  const group = groupOf(world, peer);
  const me = group?.members.get(person.id);
  if (!group || group.migratedTo !== undefined) throw bad("PEER_ID_INVALID");
  if (group.banned.has(person.id)) throw bad("USER_BANNED_IN_CHANNEL");
  if (!me || (group.isReadOnly && me.role === "member")) throw new RpcError(403, "CHAT_WRITE_FORBIDDEN");
}
