import { invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { sampleFile } from "../../sample-file.ts";
import { fileOf } from "../chat/content.ts";
import { sha256 } from "../crypto/cipher.ts";
import { openMedia } from "../media/cipher.ts";
import { tellCap, tellTimelock } from "../person/limits.ts";
import { tellPeers } from "../person/peers.ts";
import type { Pace, Person } from "../person/person.ts";
import { node } from "../wire/node.ts";
import type { World } from "../world.ts";
import { describeMessage, describePerson } from "./describe.ts";
import { readJournal } from "./journal.ts";

/** People: creating them, their behaviour, and what is on their phones. */
export function peopleRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.person(params.needText("phone"));
  return [
    ["POST", "/people", ({ body }) => describePerson(putPerson(world, body))],
    ["GET", "/people", () => ({ items: [...world.people.values()].map(describePerson) })],
    ["GET", "/people/{phone}", (call) => describePerson(personOf(call))],
    ["POST", "/people/{phone}/photos", (call) => setPicture(world, personOf(call), call)],
    ["DELETE", "/people/{phone}/photos", (call) => removePicture(world, personOf(call))],
    ["POST", "/people/{phone}/behaviour", (call) => behave(personOf(call), call)],
    ["POST", "/people/{phone}/absences", (call) => goAway(world, personOf(call))],
    ["DELETE", "/people/{phone}/absences", (call) => comeBack(world, personOf(call))],
    ["POST", "/people/{phone}/restrictions", (call) => restrict(world, personOf(call), call)],
    ["POST", "/people/{phone}/caps", (call) => cap(world, personOf(call), call)],
    ["POST", "/people/{phone}/blocks", (call) => block(world, personOf(call), call, true)],
    ["POST", "/people/{phone}/unblocks", (call) => block(world, personOf(call), call, false)],
    [
      "GET",
      "/people/{phone}/inbox",
      (call) => readJournal(call, personOf(call).inbox, ["from", "chat", "kind", "message_id", "target_id"]),
    ],
    ["GET", "/people/{phone}/chats/{chat}/messages", (call) => listMessages(personOf(call), call)],
    [
      "GET",
      "/people/{phone}/chats/{chat}/messages/{message_id}/file",
      (call) => readFile(world, personOf(call), call),
    ],
  ];
}

function putPerson(world: World, body: AdminCall["body"]): Person {
  const person = world.putPerson({
    phone: body.needText("phone"),
    name: body.text("name"),
    lid: body.text("lid"),
  });
  const aliases = body.list("aliases");
  if (aliases) {
    person.aliases = aliases.map(String);
    world.register(person);
  }
  return person;
}

/** `acks`, `deliveries`, `reads`; `group_additions`: whether others may add the person to groups, `all` or `none`. */
function behave(person: Person, { body }: AdminCall): unknown {
  const additions = body.text("group_additions");
  if (additions !== undefined && additions !== "all" && additions !== "none")
    throw invalid("group_additions", '"all" or "none"');
  if (additions !== undefined) person.privacy.set("groupadd", additions);
  for (const name of ["acks", "deliveries", "reads"] as const) {
    const pace = body.text(name);
    if (pace !== undefined && pace !== "auto" && pace !== "held") throw invalid(name, '"auto" or "held"');
    person.behaviour[name] = (pace as Pace | undefined) ?? person.behaviour[name];
  }
  return person.behaviour;
}

/** `{base64?}`: a new profile picture; without bytes, a small one is created. */
async function setPicture(world: World, person: Person, { body }: AdminCall): Promise<unknown> {
  const base64 = body.text("base64");
  const bytes = base64 === undefined ? sampleFile("image/jpeg", undefined) : Buffer.from(base64, "base64");
  const id = String(Number(person.picture?.id ?? 0) + 1);
  person.picture = { id, ...(await world.media.put(bytes)) };
  tellPeers(world, person, { type: "picture", content: node("set", { id, jid: person.jid }) });
  world.changed();
  return person.picture;
}

function removePicture(world: World, person: Person): void {
  person.picture = undefined;
  tellPeers(world, person, { type: "picture", content: node("delete", { jid: person.jid }) });
  world.changed();
}

/** Takes the phone itself offline. */
function goAway(world: World, person: Person): unknown {
  person.absentSinceMs ??= world.nowMs();
  world.changed();
  return describePerson(person);
}

/** Delivers what waited for it. */
function comeBack(world: World, person: Person): unknown {
  person.absentSinceMs = undefined;
  for (const reach of person.waitingForPhone.splice(0)) reach();
  world.changed();
  return describePerson(person);
}

/**
 * `seconds`: how long the account may not start chats; 0 ends it. Its devices are notified, unless `silent`; `open`: without
 * the end.
 */
function restrict(world: World, person: Person, { body }: AdminCall): unknown {
  const seconds = body.needInteger("seconds");
  person.restrictedUntilMs = seconds > 0 ? world.nowMs() + seconds * 1000 : undefined;
  if (body.flag("silent") !== true) tellTimelock(world, person, { open: body.flag("open") === true });
  return describePerson(person);
}

/** `status`: `NONE`, `FIRST_WARNING`, `SECOND_WARNING` or `CAPPED`; `seconds` until the next cycle. Only notified. */
function cap(world: World, person: Person, { body }: AdminCall): unknown {
  tellCap(world, person, { status: body.needText("status"), seconds: body.needInteger("seconds") });
  return describePerson(person);
}

function block(world: World, person: Person, { body }: AdminCall, blocked: boolean): unknown {
  const { phone } = world.person(body.needText("phone"));
  if (blocked) person.blocked.add(phone);
  else person.blocked.delete(phone);
  world.changed();
  return { blocked: [...person.blocked] };
}

/** The conversation as this person sees it. */
function listMessages(person: Person, { params }: AdminCall): unknown {
  const chat = person.chats.get(params.needText("chat"));
  return { items: (chat?.list() ?? []).map(describeMessage) };
}

/** The file of a message, downloaded and decrypted as by the phone; fails if it cannot be decrypted. */
async function readFile(world: World, person: Person, { params }: AdminCall): Promise<unknown> {
  const id = params.needText("message_id");
  const message = person.chats.get(params.needText("chat"))?.get(id);
  const file = message && fileOf(message.content);
  if (!file) throw missing("file of message", id);
  const { mediaKey, fileSha256, directPath, mimetype } = file.part;
  const sealed = await world.media.get(directPath ?? "");
  if (!sealed || !mediaKey || !fileSha256) throw missing("stored file of message", id);
  const plain = openMedia(file.kind, { sealed, mediaKey, fileSha256 });
  return {
    kind: file.kind,
    mime_type: mimetype ?? null,
    size: plain.length,
    sha256: sha256(plain).toString("hex"),
    base64: plain.toString("base64"),
  };
}
