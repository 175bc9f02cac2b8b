import { AdminError } from "../../http/fields.ts";
import { askOrOffer, refusePasskeyless } from "../passkey/ask.ts";
import type { Person } from "../person/person.ts";
import { node, seconds, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { Forgery } from "./identity.ts";
import { hasRoom } from "./pairing.ts";
import type { LinkOutcome, Registration } from "./registration.ts";

/** The content of a QR code. */
interface QrText {
  readonly ref: string;
  readonly noiseKey: Buffer;
  readonly identityKey: Buffer;
  readonly secret: string;
}

/** A phone scans a QR code. Throws for one that a real phone could not link with. */
export function scanQr(
  world: World,
  person: Person,
  { text, forgery }: { text: string; forgery?: Forgery | undefined },
): Promise<LinkOutcome> {
  const qr = readQr(text);
  const registration = registrationOf(world, qr);
  if (!hasRoom(person)) throw new AdminError(409, "device_limit", "this phone has 4 linked devices already");
  if (registration.retiredSecrets.has(qr.secret))
    throw new AdminError(
      409,
      "retired_secret",
      "could not link device: the secret of this QR code was retired",
    );
  refusePasskeyless(person);
  return askOrOffer(world, registration, person, { secret: Buffer.from(qr.secret, "base64"), forgery });
}

/** The server retires the present secret: the client has to show a new code. */
export function refreshRegistration(world: World, text: string): void {
  const qr = readQr(text);
  const registration = registrationOf(world, qr);
  registration.retiredSecrets.add(qr.secret);
  registration.connection.send(
    node(
      "notification",
      {
        from: serverName,
        type: "companion_reg_refresh",
        id: `refresh-${qr.ref.slice(2, 10)}`,
        t: seconds(world.nowMs()),
      },
      [node("companion_reg_refresh")],
    ),
  );
}

function registrationOf(world: World, qr: QrText): Registration {
  const registration = world.registrations.get(qr.ref);
  if (!registration?.connection.isOpen) throw new AdminError(410, "expired_qr", "this QR code has expired");
  const { noiseKey, identityKey } = registration.keys;
  if (!noiseKey.equals(qr.noiseKey) || !identityKey.equals(qr.identityKey))
    throw new AdminError(409, "foreign_qr", "the keys of this QR code are not those of its device");
  return registration;
}

/** `https://wa.me/settings/linked_devices#<ref>,<noise key>,<identity key>,<secret>,<platform>`, or without the address. */
function readQr(text: string): QrText {
  const parts = text.slice(text.indexOf("#") + 1).split(",");
  const [ref = "", noise = "", identity = "", secret = ""] = parts;
  if (parts.length < 4 || Buffer.from(secret, "base64").length !== 32)
    throw new AdminError(400, "invalid_field", "qr is not the text of a QR code of WhatsApp");
  return {
    ref,
    noiseKey: Buffer.from(noise, "base64"),
    identityKey: Buffer.from(identity, "base64"),
    secret,
  };
}
