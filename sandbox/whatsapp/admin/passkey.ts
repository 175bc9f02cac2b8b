import { AdminError, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Registration } from "../link/registration.ts";
import { askAgain } from "../passkey/ask.ts";
import { importKey } from "../passkey/assertion.ts";
import type { PasskeyExchange } from "../passkey/exchange.ts";
import { continueExchange, linkIfCompared } from "../passkey/steps.ts";
import type { Person } from "../person/person.ts";
import type { World } from "../world.ts";

/** Passkeys of accounts: whether linking requires one, and the phone's part of the exchange. */
export function passkeyRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.person(params.needText("phone"));
  const linking = "/people/{phone}/linking";
  return [
    ["POST", "/people/{phone}/gates", (call) => setGate(world, personOf(call), call)],
    ["POST", "/people/{phone}/passkeys", (call) => addPasskey(world, personOf(call), call)],
    ["DELETE", "/people/{phone}/passkeys", (call) => personOf(call).passkeys.clear()],
    ["GET", linking, (call) => describe(findExchange(world, personOf(call))?.exchange)],
    [
      "POST",
      `${linking}/requests`,
      (call) => askAgain(world, needExchange(world, personOf(call)).registration),
    ],
    [
      "POST",
      `${linking}/continuations`,
      (call) => continueExchange(world, needExchange(world, personOf(call)).registration),
    ],
    [
      "POST",
      `${linking}/drops`,
      (call) => needExchange(world, personOf(call)).registration.connection.drop(),
    ],
    ["POST", `${linking}/comparisons`, (call) => compare(world, personOf(call), call)],
  ];
}

/** `{passkey}`: `none`, or `passkey`, with which linking requires a passkey of the account. */
function setGate(world: World, person: Person, { body }: AdminCall): unknown {
  const gate = body.needText("passkey");
  if (gate !== "none" && gate !== "passkey") throw invalid("passkey", '"none" or "passkey"');
  person.passkeyGate = gate;
  world.changed();
  return { passkey: gate, passkeys: [...person.passkeys.keys()] };
}

/** `{id, public_key, counter?}`: base64url, the key as SubjectPublicKeyInfo. */
function addPasskey(world: World, person: Person, { body }: AdminCall): unknown {
  const id = body.needText("id");
  const publicKey = Buffer.from(body.needText("public_key"), "base64url");
  try {
    importKey(publicKey);
  } catch {
    throw invalid("public_key", "the SubjectPublicKeyInfo of a P-256 key");
  }
  person.passkeys.set(id, {
    id,
    publicKey,
    counter: body.integer("counter") ?? person.passkeys.get(id)?.counter ?? 0,
  });
  world.changed();
  return { passkeys: [...person.passkeys.keys()] };
}

function findExchange(world: World, person: Person) {
  return [...world.registrations.values(), ...[...world.codeLinks.values()].map((each) => each.registration)]
    .flatMap((registration) =>
      registration.passkey?.person === person ? [{ registration, exchange: registration.passkey }] : [],
    )
    .at(0);
}

function needExchange(
  world: World,
  person: Person,
): { registration: Registration; exchange: PasskeyExchange } {
  const found = findExchange(world, person);
  if (!found) throw new AdminError(409, "no_linking", "no device is being linked with a passkey");
  return found;
}

/** What the phone shows. */
function describe(exchange: PasskeyExchange | undefined): unknown {
  if (!exchange) return { stage: null, code: null };
  const { prologue, code, comparison } = exchange;
  const stage = code !== undefined ? "opened" : prologue ? "accepted" : "asked";
  return { stage, code: prologue?.isProved ? null : (code ?? null), comparison: comparison ?? null };
}

/** `{same}`: the person says whether the device shows the phone's code; `false` ends the linking. */
function compare(world: World, person: Person, { body }: AdminCall): unknown {
  const { registration, exchange } = needExchange(world, person);
  exchange.comparison = body.flag("same") === false ? "different" : "same";
  if (exchange.comparison === "different" && exchange.newSecret) registration.connection.end();
  else linkIfCompared(world, registration);
  return describe(exchange);
}
