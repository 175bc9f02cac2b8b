import { AdminError, Fields, isRecord, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { randomLong } from "../mtproto/auth-key.ts";
import { groupOf, personByPhone, putPerson } from "../world/directory.ts";
import { letterAt } from "../world/find.ts";
import type { Letter } from "../world/letter.ts";
import type { PeerRef } from "../world/peer.ts";
import type { Person } from "../world/person.ts";
import { post } from "../world/post.ts";
import { edit, remove, removeFromGroup } from "../world/revise.ts";
import type { World } from "../world/world.ts";
import { readContent } from "./content.ts";
import { needPeer } from "./target.ts";

const maxBurst = 20_000;

/** Writing, editing and deleting messages on a person's own phone. */
export function writingRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => personByPhone(world, params.needText("phone"));
  return [
    ["POST", "/people/{phone}/messages", (call) => write(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/albums", (call) => writeAlbum(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/edits", (call) => change(world, personOf(call), call.body)],
    ["POST", "/people/{phone}/deletions", (call) => takeBack(world, personOf(call), call.body)],
    ["POST", "/messages", ({ body }) => writeSimply(world, body)],
  ];
}

/** `{to, kind?, text?, reply_to?, count?, …}`; `count`: this many numbered texts in a row. */
async function write(world: World, from: Person, body: Fields, usualTo?: string): Promise<unknown> {
  const to = needPeer(world, body.text("to") ?? usualTo ?? body.needText("to"));
  checkWriter(world, from, to);
  const content = await readContent(world, from, body);
  const replyTo = readReply(world, from, to, body);
  const count = Math.min(body.integer("count") ?? 1, maxBurst);
  const written = Array.from({ length: count }, (_, index) => {
    const text = count === 1 ? content.text : `${content.text} ${index + 1}`;
    const draft = { ...content, ...(text !== undefined && { text }) };
    return post(world, { ...draft, from: from.id, to, replyTo, date: body.integer("date") }).letter;
  });
  return describeWritten(world, from, to, written);
}

/** `{to, items: [{kind, caption?, file?, …}]}` */
async function writeAlbum(world: World, from: Person, body: Fields): Promise<unknown> {
  const to = needPeer(world, body.needText("to"));
  checkWriter(world, from, to);
  const groupedId = randomLong();
  const written: Letter[] = [];
  for (const item of body.list("items") ?? [{ kind: "photo" }, { kind: "photo" }]) {
    const content = await readContent(world, from, new Fields(isRecord(item) ? item : {}));
    written.push(post(world, { ...content, from: from.id, to, groupedId }).letter);
  }
  return describeWritten(world, from, to, written);
}

/** `{message_id, chat, text}`: the id and the conversation from this person's point of view. */
function change(world: World, person: Person, body: Fields): unknown {
  const { letter, to } = findOwn(world, person, body);
  const markup = letter.markup;
  edit(world, letter, { text: body.needText("text"), entities: [], markup, by: person });
  return describeWritten(world, person, to, [letter]);
}

/** `{message_ids or message_id, chat, for_all?}` */
function takeBack(world: World, person: Person, body: Fields): unknown {
  const to = needPeer(world, body.needText("chat"));
  const ids = (body.list("message_ids") ?? [body.needInteger("message_id")]).map(Number);
  const group = groupOf(world, to);
  if (group?.kind === "channel") removeFromGroup(world, group, { ids });
  else {
    const letters = ids.flatMap((id) => letterAt(world, person, to, id) ?? []);
    if (letters.length === 0) throw missing("message", String(ids[0]));
    remove(world, letters, { by: person, revoke: body.flag("for_all") ?? true });
  }
  return { message_ids: ids };
}

/** A text, by default from the first person without a login to the first with one. */
function writeSimply(world: World, body: Fields): Promise<unknown> {
  const people = [...world.state.people.values()];
  const isLinked = ({ id }: Person) => [...world.keys.values()].some(({ userId }) => userId === id);
  const to = body.text("to") ?? people.find(isLinked)?.phone;
  if (to === undefined) throw new AdminError(409, "none_yet", "no account has a login yet");
  const from = body.text("from") ?? people.find((each) => !isLinked(each) && each.phone !== to)?.phone;
  return write(world, putPerson(world, { phone: from ?? "79990000111" }), body, to);
}

function checkWriter(world: World, from: Person, to: PeerRef): void {
  const group = groupOf(world, to);
  if (group && !group.members.has(from.id))
    throw new AdminError(409, "not_a_member", `${from.phone} is not in ${group.title}`);
}

function readReply(world: World, from: Person, to: PeerRef, body: Fields): number | undefined {
  const id = body.integer("reply_to");
  if (id === undefined) return undefined;
  const letter = letterAt(world, from, to, id);
  if (!letter) throw missing("message", id);
  return letter.number;
}

function findOwn(world: World, person: Person, body: Fields): { letter: Letter; to: PeerRef } {
  const to = needPeer(world, body.needText("chat"));
  const id = body.needInteger("message_id");
  const letter = letterAt(world, person, to, id);
  if (!letter) throw missing("message", id);
  if (letter.from !== person.id) throw new AdminError(409, "not_own", "only the author changes a message");
  return { letter, to };
}

/** The ids of the written messages, for the author and for the recipient. */
function describeWritten(world: World, from: Person, to: PeerRef, letters: readonly Letter[]): unknown {
  const idsFor = (owner: number) =>
    letters.map(({ ids }) => ids.get(to.kind === "channel" ? 0 : owner) ?? null);
  const own = idsFor(from.id);
  const theirs = to.kind === "user" ? idsFor(to.id) : own;
  const all = letters.length === 1 ? {} : { message_ids: own, their_message_ids: theirs };
  return {
    chat: world.nameOfPeer(to),
    message_id: own.at(-1) ?? null,
    their_message_id: theirs.at(-1) ?? null,
    ...all,
  };
}
