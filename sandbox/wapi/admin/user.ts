import { AdminError, type Fields, invalid } from "../../http/fields.ts";
import type { AdminRoute } from "../../http/route.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import { type Person, userIdOf } from "../chat/person.ts";
import type { World } from "../world.ts";
import { write } from "./person.ts";

/** People: creating them, and a one-line message for newcomers. */
export function userRoutes(world: World): AdminRoute[] {
  return [
    ["POST", "/users", ({ body }) => describe(world, putPerson(world, body))],
    ["GET", "/users", () => ({ items: [...world.people.values()].map((person) => describe(world, person)) })],
    ["POST", "/messages", ({ body }) => writeSimply(world, body)],
  ];
}

function putPerson(world: World, body: Fields): Person {
  const id = body.text("id") ?? body.text("phone");
  const known = id === undefined ? undefined : world.people.get(id);
  const phone = body.text("phone") ?? known?.phone ?? id ?? freePhone(world);
  if (!/^\d{7,15}$/.test(phone)) throw invalid("phone", "7 to 15 digits");
  const username = body.text("username") ?? known?.username;
  const hidesNumber = body.flag("hides_number") ?? known?.hidesNumber ?? false;
  if (hidesNumber && username === undefined) {
    throw new AdminError(400, "invalid_field", "only people with a username can hide their number");
  }
  return world.putPerson({
    id: id ?? phone,
    phone,
    name: body.text("name") ?? known?.name ?? "Ann",
    username,
    hidesNumber,
    idGeneration: known?.idGeneration ?? 0,
  });
}

function freePhone(world: World): string {
  return String(16_505_551_000 + world.people.size);
}

function describe(world: World, person: Person): unknown {
  const { id, phone, name, username, hidesNumber } = person;
  const businesses = new Set([...world.wabas.values()].map(({ businessId }) => businessId));
  const userIds = [...businesses].map((business) => [business, userIdOf(person, business)]);
  return {
    id,
    phone,
    name,
    username: username ?? null,
    hides_number: hidesNumber,
    user_ids: Object.fromEntries(userIds),
  };
}

/** A message, by default of the first person to the first number. */
async function writeSimply(world: World, body: Fields): Promise<unknown> {
  const numberId = body.text("number_id");
  const userId = body.text("user_id");
  const number = numberId === undefined ? firstNumber(world) : world.number(numberId);
  const person = userId === undefined ? firstPerson(world) : world.person(userId);
  return write(world, { number, person, conversation: number.conversationWith(person) }, body);
}

function firstNumber(world: World): PhoneNumber {
  const [first] = world.numbers.values();
  if (first) return first;
  throw new AdminError(409, "none_yet", "there is no number yet; POST /numbers makes one");
}

function firstPerson(world: World): Person {
  const [first] = world.people.values();
  return (
    first ??
    world.putPerson({
      id: "16505551234",
      phone: "16505551234",
      name: "Ann",
      username: undefined,
      hidesNumber: false,
      idGeneration: 0,
    })
  );
}
