import { randomBytes } from "node:crypto";
import { invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Person } from "../person/person.ts";
import { type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";

/** The ending reported to linked devices; for one on the phone, the caller's. */
const endings: Readonly<Record<string, string | undefined>> = {
  timeout: "timeout",
  terminate: undefined,
  reject: "rejected_elsewhere",
  accept: "accepted_elsewhere",
};

/** Calls: starting and ending them. */
export function callRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.person(params.needText("phone"));
  return [
    ["POST", "/people/{phone}/calls", (call) => ring(world, personOf(call), call)],
    ["POST", "/people/{phone}/calls/{call_id}/ends", (call) => end(world, personOf(call), call)],
  ];
}

/** `{to, video?}` → `{call_id}`. The phone and every linked device ring. */
function ring(world: World, from: Person, { body }: AdminCall): unknown {
  const callId = randomBytes(16).toString("hex").toUpperCase();
  const parts = [
    node("audio", { enc: "opus", rate: "16000" }),
    ...(body.flag("video") ? [node("video")] : []),
  ];
  tell(world, from, world.person(body.needText("to")), node("offer", about(from, callId), parts));
  return { call_id: callId };
}

/**
 * `{to, reason}`: `timeout` (nobody answered), `terminate` (the caller gave up or hung up), `reject`, `accept` (on
 * the phone).
 */
function end(world: World, from: Person, { params, body }: AdminCall): unknown {
  const reason = body.text("reason") ?? "timeout";
  if (!Object.hasOwn(endings, reason)) throw invalid("reason", Object.keys(endings).join(", "));
  const callId = params.needText("call_id");
  const content = node("terminate", { ...about(from, callId), reason: endings[reason] });
  tell(world, from, world.person(body.needText("to")), content);
  return { call_id: callId, reason };
}

function about(from: Person, callId: string): Record<string, string> {
  return { "call-id": callId, "call-creator": from.lidJid, caller_pn: from.jid };
}

function tell(world: World, from: Person, to: Person, content: Node): void {
  for (const companion of to.companions.values())
    companion.deliver(
      node(
        "call",
        { from: from.lidJid, id: world.newMessageId(), t: seconds(world.nowMs()), notify: from.name },
        [content],
      ),
    );
  world.changed();
}
