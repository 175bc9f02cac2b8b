import { AdminError } from "../../http/fields.ts";
import type { Forgery } from "../link/identity.ts";
import { offerIdentity } from "../link/pairing.ts";
import type { LinkOutcome, Registration } from "../link/registration.ts";
import type { Person } from "../person/person.ts";
import { node, seconds, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import { PasskeyExchange } from "./exchange.ts";

interface Setup {
  readonly secret: Buffer;
  readonly forgery?: Forgery | undefined;
}

/** The phone asks to create a passkey first. */
export function refusePasskeyless({ passkeyGate, passkeys }: Person): void {
  if (passkeyGate === "passkey" && passkeys.size === 0)
    throw new AdminError(409, "passkey_missing", "create a passkey on this phone first");
}

/** The phone has accepted: links the device, or asks it for the account's passkey first. */
export function askOrOffer(
  world: World,
  registration: Registration,
  person: Person,
  setup: Setup,
): Promise<LinkOutcome> {
  if (person.passkeyGate === "none") return offerIdentity(world, registration, person, setup);
  registration.passkey = new PasskeyExchange({
    person,
    ...setup,
    nowMs: world.nowMs(),
    validMs: world.settings.passkeyMs,
  });
  sendRequest(world, registration);
  return Promise.resolve({ linked: false, reason: "passkey_asked" });
}

/** The server asks the same client once more, with another challenge; the first request is no longer valid. */
export function askAgain(world: World, registration: Registration): void {
  const { passkey } = registration;
  if (!passkey) return;
  const { person, secret, forgery } = passkey;
  registration.passkey = new PasskeyExchange({
    person,
    secret,
    forgery,
    nowMs: world.nowMs(),
    validMs: world.settings.passkeyMs,
  });
  sendRequest(world, registration);
}

function sendRequest(world: World, { connection, passkey }: Registration): void {
  if (!passkey) return;
  const text = JSON.stringify(passkey.options);
  const isSpoiled = world.settings.passkeyOptions === "malformed";
  const t = seconds(world.nowMs());
  connection.send(
    node(
      "notification",
      {
        from: serverName,
        type: "passkey_prologue_request",
        id: `passkey-${passkey.challenge.slice(0, 8)}`,
        t,
      },
      [node("passkey_request_options", {}, Buffer.from(isSpoiled ? text.slice(1) : text))],
    ),
  );
  world.note("passkey_asked", passkey.person);
}
