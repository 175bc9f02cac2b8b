import type { proto } from "baileys/WAProto/index.js";
import type { Connection } from "../connection.ts";
import type { CompanionKeys } from "../person/linked-device.ts";
import { LinkedDevice } from "../person/linked-device.ts";
import { maxCompanions, type Person } from "../person/person.ts";
import { isSigned } from "../signal/agreement.ts";
import { lidJid, phoneJid } from "../wire/jid.ts";
import { child, MalformedStanza, type Node, needBytes, node, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import { tellDeviceChange } from "./device-change.ts";
import { type Forgery, isGenuineIdentity, issueIdentity } from "./identity.ts";
import { type LinkOutcome, Registration } from "./registration.ts";

/** Starts linking: sends the client the references for its QR codes. Throws if its keys are invalid. */
export function beginRegistration(
  world: World,
  connection: Connection,
  data: proto.ClientPayload.IDevicePairingRegistrationData,
): Registration {
  const registration = new Registration(connection, readKeys(data, connection.clientStatic));
  for (const ref of registration.refs) world.registrations.set(ref, registration);
  const refs = registration.refs.map((ref) => node("ref", {}, Buffer.from(ref)));
  connection.send(
    node("iq", { from: serverName, type: "set", id: "pair-device", xmlns: "md" }, [
      node("pair-device", {}, refs),
    ]),
  );
  world.note("qr");
  return registration;
}

function readKeys(data: proto.ClientPayload.IDevicePairingRegistrationData, noiseKey: Buffer): CompanionKeys {
  const bytes = (value: Uint8Array | null | undefined, size: number): Buffer => {
    if (value?.length !== size) throw new MalformedStanza("devicePairingData");
    return Buffer.from(value);
  };
  const keys = {
    noiseKey,
    identityKey: bytes(data.eIdent, 32),
    registrationId: bytes(data.eRegid, 4).readUInt32BE(),
    signedPreKey: {
      id: bytes(data.eSkeyId, 3).readUIntBE(0, 3),
      key: bytes(data.eSkeyVal, 32),
      signature: bytes(data.eSkeySig, 64),
    },
  };
  if (!isSigned(keys)) throw new MalformedStanza("a valid signature of the pre-key");
  return keys;
}

/** A phone does not link a fifth device. */
export function hasRoom(person: Person): boolean {
  return person.companions.size < maxCompanions;
}

/** The phone has accepted: sends the client its identity, which it must sign too. */
export function offerIdentity(
  world: World,
  registration: Registration,
  person: Person,
  setup: { secret: Buffer; forgery?: Forgery | undefined },
): Promise<LinkOutcome> {
  const device = person.nextDevice++;
  const issued = issueIdentity({
    account: person.device.identity,
    deviceIdentity: registration.keys.identityKey,
    keyIndex: device,
    nowMs: world.nowMs(),
    ...setup,
  });
  const outcome = Promise.withResolvers<LinkOutcome>();
  registration.attempt = { person, device, outcome };
  registration.connection.send(
    node("iq", { from: serverName, type: "set", id: `pair-${device}`, xmlns: "md" }, [
      node("pair-success", {}, [
        node("device-identity", {}, issued.sealed),
        node("device", { jid: phoneJid(person.phone, device), lid: lidJid(person.lid, device) }),
        node("platform", { name: "android" }),
      ]),
    ]),
  );
  return outcome.promise;
}

/** `pair-device-sign`: the client's own signature of the identity. It must then open a new connection. */
export function acceptSignature(world: World, registration: Registration, stanza: Node): void {
  const { attempt, keys } = registration;
  if (!attempt) throw new MalformedStanza("a preceding pair-success");
  const signedIdentity = needBytes(child(stanza, "pair-device-sign"), "device-identity");
  const { person, device, outcome } = attempt;
  const expected = { account: person.device.identity.publicKey, deviceIdentity: keys.identityKey };
  registration.attempt = undefined;
  if (!isGenuineIdentity(signedIdentity, expected)) {
    outcome.resolve({ linked: false, reason: "bad_device_signature" });
    throw new MalformedStanza("a valid device signature");
  }
  const companion = new LinkedDevice({ person, device, keyIndex: device, keys, signedIdentity });
  person.companions.set(device, companion);
  world.note("paired", companion);
  tellDeviceChange(world, companion, "add");
  world.changed();
  outcome.resolve({ linked: true, companion });
  registration.connection.end(node("stream:error", { code: "515" }));
}
