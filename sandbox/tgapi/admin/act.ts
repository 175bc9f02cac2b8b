import { invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { randomLong } from "../mtproto/auth-key.ts";
import { personByPhone } from "../world/directory.ts";
import { letterAt } from "../world/find.ts";
import type { Person } from "../world/person.ts";
import { post } from "../world/post.ts";
import { pushPassing } from "../world/push.ts";
import { react, reactionEmoji } from "../world/react.ts";
import { readUpTo } from "../world/revise.ts";
import type { World } from "../world/world.ts";
import { needPeer } from "./target.ts";

const callEndings = {
  missed: "phoneCallDiscardReasonMissed",
  busy: "phoneCallDiscardReasonBusy",
  hangup: "phoneCallDiscardReasonHangup",
  disconnect: "phoneCallDiscardReasonDisconnect",
} as const;

/** Actions of a person other than writing: reading, typing, calling, expiring file references. */
export function actRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => personByPhone(world, params.needText("phone"));
  return [
    ["POST", "/people/{phone}/reads", (call) => read(world, personOf(call), call)],
    ["POST", "/people/{phone}/reactions", (call) => reactTo(world, personOf(call), call)],
    ["POST", "/people/{phone}/typing", (call) => type(world, personOf(call), call)],
    ["POST", "/people/{phone}/calls", (call) => ring(world, personOf(call), call)],
    ["POST", "/file_references/expiries", () => expireReferences(world)],
  ];
}

/** `{chat, message_id?}`: up to this message of the other side, or all. */
function read(world: World, person: Person, { body }: AdminCall): unknown {
  const peer = needPeer(world, body.needText("chat"));
  const newest = person.dialogs.get(`${peer.kind}${peer.id}`)?.topId;
  if (newest === undefined) throw missing("conversation with", body.needText("chat"));
  const maxId = body.integer("message_id") ?? newest;
  readUpTo(world, person, { peer, maxId });
  return { message_id: maxId };
}

/** `{chat, message_id, emoji?}`; without `emoji`, the reaction is removed. */
function reactTo(world: World, by: Person, { body }: AdminCall): unknown {
  const id = body.needInteger("message_id");
  const letter = letterAt(world, by, needPeer(world, body.needText("chat")), id);
  if (!letter) throw missing("message", id);
  const emoticon = body.text("emoji")?.replace(/\uFE0F$/, "");
  if (emoticon !== undefined && !reactionEmoji.has(emoticon)) throw invalid("emoji", "one of Telegram's");
  react(world, letter, { by, emoticon });
  return { message_id: id };
}

/** `{to}` */
function type(world: World, person: Person, { body }: AdminCall): void {
  const peer = needPeer(world, body.needText("to"));
  const reader = world.state.people.get(peer.id);
  if (!reader) return;
  const action = { _: "sendMessageTypingAction" } as const;
  pushPassing(world, reader, { _: "updateUserTyping", userId: person.id, action });
}

/** `{to, reason?, duration?, video?}`: a call that has ended, as both see it in the conversation. */
function ring(world: World, person: Person, { body }: AdminCall): unknown {
  const to = needPeer(world, body.needText("to"));
  const reason = body.text("reason") ?? "missed";
  if (!Object.hasOwn(callEndings, reason)) throw invalid("reason", Object.keys(callEndings).join(", "));
  const ending = callEndings[reason as keyof typeof callEndings];
  const duration = body.integer("duration");
  const { letter } = post(world, {
    from: person.id,
    to,
    action: {
      _: "messageActionPhoneCall",
      callId: randomLong(),
      video: body.flag("video") ?? false,
      reason: { _: ending },
      ...(duration !== undefined && { duration }),
    },
  });
  return { message_id: letter.ids.get(person.id) ?? null, their_message_id: letter.ids.get(to.id) ?? null };
}

/** All file references issued so far are refused from now on. */
function expireReferences(world: World): void {
  // References have a resolution of seconds: those of the current second are refused too.
  for (const file of world.state.files.values()) file.referencesSince = world.clock.now() + 1;
  world.clock.advance(2);
  world.changed();
}
