import { randomBytes } from "node:crypto";
import type { proto } from "baileys/WAProto/index.js";
import type { Connection } from "../connection.ts";
import { Companion, type CompanionKeys } from "../person/companion.ts";
import { maxCompanions, type Person } from "../person/person.ts";
import { isSigned } from "../signal/agreement.ts";
import { lidJid, phoneJid } from "../wire/jid.ts";
import { child, MalformedStanza, type Node, needBytes, node, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import { tellDeviceChange } from "./device-change.ts";
import { type Forgery, isGenuineIdentity, issueIdentity } from "./identity.ts";

const refsPerSocket = 6;

/** How an attempt to link ended. */
export type LinkOutcome =
  | { readonly linked: true; readonly companion: Companion }
  | { readonly linked: false; readonly reason: "refused_by_client" | "bad_device_signature" };

interface Attempt {
  readonly person: Person;
  readonly device: number;
  readonly outcome: PromiseWithResolvers<LinkOutcome>;
}

/** A client that is not linked yet: the references of its QR codes, and what it will be known by. */
export class Registration {
  readonly connection: Connection;
  readonly keys: CompanionKeys;
  readonly refs: readonly string[];
  /** A secret that was retired by `companion_reg_refresh`: QR codes with it are dead. */
  readonly retiredSecrets = new Set<string>();
  #attempt: Attempt | undefined;

  constructor(connection: Connection, keys: CompanionKeys) {
    this.connection = connection;
    this.keys = keys;
    this.refs = Array.from({ length: refsPerSocket }, () => `2@${randomBytes(60).toString("base64")}`);
  }

  /** The phone has accepted: the client gets its identity, and must sign it in turn. */
  offer(
    world: World,
    person: Person,
    setup: { secret: Buffer; forgery?: Forgery | undefined },
  ): Promise<LinkOutcome> {
    const device = person.nextDevice++;
    const issued = issueIdentity({
      account: person.device.identity,
      deviceIdentity: this.keys.identityKey,
      keyIndex: device,
      nowMs: world.nowMs(),
      ...setup,
    });
    const outcome = Promise.withResolvers<LinkOutcome>();
    this.#attempt = { person, device, outcome };
    this.connection.send(
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

  /** `pair-device-sign`: the client's own signature below the identity. Then it must come back with a new connection. */
  acceptSignature(world: World, stanza: Node): void {
    const attempt = this.#attempt;
    if (!attempt) throw new MalformedStanza("a preceding pair-success");
    const signedIdentity = needBytes(child(stanza, "pair-device-sign"), "device-identity");
    const { person, device, outcome } = attempt;
    const expected = { account: person.device.identity.publicKey, deviceIdentity: this.keys.identityKey };
    this.#attempt = undefined;
    if (!isGenuineIdentity(signedIdentity, expected)) {
      outcome.resolve({ linked: false, reason: "bad_device_signature" });
      throw new MalformedStanza("a valid device signature");
    }
    const companion = new Companion({ person, device, keyIndex: device, keys: this.keys, signedIdentity });
    person.companions.set(device, companion);
    world.note("paired", companion);
    tellDeviceChange(world, companion, "add");
    world.changed();
    outcome.resolve({ linked: true, companion });
    this.connection.end(node("stream:error", { code: "515" }));
  }

  /** The client went away. */
  close(): void {
    this.#attempt?.outcome.resolve({ linked: false, reason: "refused_by_client" });
    this.#attempt = undefined;
  }
}

/** Begins to link: the client gets the references for its QR codes. Throws when its keys are not in order. */
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

/** A phone does not link a fifth device. */
export function hasRoom(person: Person): boolean {
  return person.companions.size < maxCompanions;
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
