import { missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { askAgain, giveDeliveries, giveReads, owedFor, sendReceipt } from "../chat/receipt.ts";
import { reinstall } from "../link/reinstall.ts";
import type { Person } from "../person/person.ts";
import type { World } from "../world.ts";

/** Receipts and acknowledgements released by a test, for one `message_id` or all; and requesting a text again. */
export function receiptRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.person(params.needText("phone"));
  return [
    ["POST", "/people/{phone}/acks", (call) => ({ message_ids: releaseAcks(personOf(call), call) })],
    [
      "POST",
      "/people/{phone}/deliveries",
      (call) => ({ message_ids: giveDeliveries(world, personOf(call), call.body.text("message_id")) }),
    ],
    [
      "POST",
      "/people/{phone}/reads",
      (call) => ({ message_ids: giveReads(world, personOf(call), call.body.text("message_id")) }),
    ],
    ["POST", "/people/{phone}/plays", (call) => play(world, personOf(call), call)],
    ["POST", "/people/{phone}/retries", (call) => retry(world, personOf(call), call)],
    ["POST", "/people/{phone}/forgets", (call) => forget(world, personOf(call))],
    ["POST", "/people/{phone}/reinstallations", (call) => reinstall(world, personOf(call))],
  ];
}

function releaseAcks(person: Person, { body }: AdminCall): string[] {
  const id = body.text("message_id");
  const due = [...person.heldAcks].filter(([each]) => each === (id ?? each));
  for (const [each, send] of due) {
    person.heldAcks.delete(each);
    send();
  }
  return due.map(([each]) => each);
}

/** A voice message was played. */
function play(world: World, person: Person, { body }: AdminCall): unknown {
  const { author, id, chat } = received(world, person, body.needText("message_id"));
  giveReads(world, person, id);
  sendReceipt(world, person, owedFor(author, { id, chat }), "played");
  return { message_ids: [id] };
}

/** This phone claims that it could not decrypt a message: the device encrypts it again. */
function retry(world: World, person: Person, { body }: AdminCall): unknown {
  const { author, id, chat, device } = received(world, person, body.needText("message_id"));
  person.device.forgetSessions(`${author.phone}:${device}`);
  askAgain(world, person, owedFor(author, { id, chat }), { device, count: body.integer("count") ?? 1 });
  return { message_ids: [id] };
}

function received(world: World, person: Person, id: string) {
  const item = person.inbox.list({ where: (each) => each.message_id === id }).at(-1);
  if (!item) throw missing("received message", id);
  return { id, chat: item.chat, device: item.device, author: world.person(item.from) };
}

/**
 * Loses the sessions and group keys, but not the identity: the next messages cannot be decrypted and are requested
 * again.
 */
function forget(world: World, person: Person): unknown {
  person.device.forgetSessions();
  person.senderKeys.forget();
  world.changed();
  return {};
}
