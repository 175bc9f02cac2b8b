import { invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { storePassword } from "../crypto/srp.ts";
import { defined } from "../defined.ts";
import { personByPhone, putPerson } from "../world/directory.ts";
import { letterAt } from "../world/find.ts";
import type { Letter } from "../world/letter.ts";
import type { Person } from "../world/person.ts";
import { lettersUpTo } from "../world/revise.ts";
import type { World } from "../world/world.ts";
import { describeLetter, describePerson } from "./describe.ts";
import { readNewPhoto } from "./file.ts";
import { readJournal } from "./journal.ts";
import { needPeer } from "./target.ts";

/** People: creating them, their settings, and what is on their phones. */
export function peopleRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => personByPhone(world, params.needText("phone"));
  return [
    ["POST", "/people", ({ body }) => describePerson(world, readPerson(world, body))],
    [
      "GET",
      "/people",
      () => ({ items: [...world.state.people.values()].map((each) => describePerson(world, each)) }),
    ],
    ["GET", "/people/{phone}", (call) => describePerson(world, personOf(call))],
    ["POST", "/people/{phone}/passwords", (call) => setPassword(world, personOf(call), call)],
    ["DELETE", "/people/{phone}/passwords", (call) => removePassword(world, personOf(call))],
    ["POST", "/people/{phone}/photos", (call) => setPhoto(world, personOf(call), call)],
    ["POST", "/people/{phone}/bans", (call) => setStatus(world, personOf(call), "banned")],
    ["POST", "/people/{phone}/deactivations", (call) => setStatus(world, personOf(call), "deactivated")],
    ["POST", "/people/{phone}/restrictions", (call) => restrict(world, personOf(call), call)],
    ["POST", "/people/{phone}/blocks", (call) => block(world, personOf(call), call, true)],
    ["POST", "/people/{phone}/unblocks", (call) => block(world, personOf(call), call, false)],
    [
      "GET",
      "/people/{phone}/inbox",
      (call) =>
        readJournal(call, world.inboxOf(personOf(call).id), ["action", "from", "chat", "kind", "message_id"]),
    ],
    ["GET", "/people/{phone}/chats/{chat}/messages", (call) => listMessages(world, personOf(call), call)],
    [
      "GET",
      "/people/{phone}/chats/{chat}/messages/{message_id}/file",
      (call) => readFile(world, personOf(call), call),
    ],
  ];
}

/** `{phone, id?, first_name?, last_name?, username?, home_dc?, is_bot?, hides_phone?, writers?, inviters?, password?, hint?}` */
function readPerson(world: World, body: AdminCall["body"]): Person {
  const password = body.text("password");
  const given = defined({
    id: body.integer("id"),
    firstName: body.text("first_name"),
    lastName: body.text("last_name"),
    username: body.text("username"),
    homeDc: body.integer("home_dc"),
    isBot: body.flag("is_bot"),
    hidesPhone: body.flag("hides_phone"),
    writers: readChoice(body, "writers", ["all", "contacts", "premium"]),
    inviters: readChoice(body, "inviters", ["all", "contacts"]),
    password: password === undefined ? undefined : storePassword(password, body.text("hint")),
  });
  return putPerson(world, { phone: body.needText("phone"), ...given });
}

function readChoice<T extends string>(
  body: AdminCall["body"],
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = body.text(name);
  const found = allowed.find((each) => each === value);
  if (value !== undefined && found === undefined) throw invalid(name, allowed.join(", "));
  return found;
}

function setPassword(world: World, person: Person, { body }: AdminCall): unknown {
  person.password = storePassword(body.needText("password"), body.text("hint"));
  world.changed();
  return describePerson(world, person);
}

function removePassword(world: World, person: Person): unknown {
  person.password = undefined;
  world.changed();
  return describePerson(world, person);
}

async function setPhoto(world: World, person: Person, { body }: AdminCall): Promise<unknown> {
  person.photo = (await readNewPhoto(world, body)).id;
  world.changed();
  return { photo_id: person.photo };
}

function setStatus(world: World, person: Person, status: Person["status"]): unknown {
  person.status = status;
  world.changed();
  return describePerson(world, person);
}

/** `seconds`: how long the account may not start conversations (PEER_FLOOD); 0 ends it. */
function restrict(world: World, person: Person, { body }: AdminCall): unknown {
  const seconds = body.needInteger("seconds");
  person.restrictedUntil = seconds > 0 ? world.clock.now() + seconds : 0;
  world.changed();
  return describePerson(world, person);
}

function block(world: World, person: Person, { body }: AdminCall, blocked: boolean): unknown {
  const { id } = personByPhone(world, body.needText("phone"));
  if (blocked) person.blocked.add(id);
  else person.blocked.delete(id);
  world.changed();
  return describePerson(world, person);
}

/** The conversation as this person sees it. */
function listMessages(world: World, person: Person, { params }: AdminCall): unknown {
  const peer = needPeer(world, params.needText("chat"));
  const range = { peer, after: 0, maxId: Number.MAX_SAFE_INTEGER };
  return { items: lettersUpTo(world, person, range).map((each) => describeLetter(world, person, each)) };
}

/** The file of a message: type, size, hash and bytes. */
async function readFile(world: World, person: Person, { params }: AdminCall): Promise<unknown> {
  const id = params.needInteger("message_id");
  const letter = letterAt(world, person, needPeer(world, params.needText("chat")), id);
  const file = letter && fileOf(world, letter);
  if (!file) throw missing("file of message", id);
  const bytes = await world.files.read(file.blob, 0, file.size);
  return {
    mime_type: file.mimeType,
    size: bytes.length,
    attributes: file.attributes,
    base64: bytes.toString("base64"),
  };
}

function fileOf(world: World, { media }: Letter) {
  return media === undefined || media.kind === "other" ? undefined : world.state.files.get(media.file);
}
