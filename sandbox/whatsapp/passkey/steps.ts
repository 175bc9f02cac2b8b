import { randomBytes } from "node:crypto";
import { proto } from "baileys/WAProto/index.js";
import { openGcm } from "../crypto/cipher.ts";
import { IqError, notAllowed } from "../iq/call.ts";
import { offerIdentity } from "../link/pairing.ts";
import type { Registration } from "../link/registration.ts";
import {
  bytesOf,
  child,
  MalformedStanza,
  type Node,
  needBytes,
  node,
  seconds,
  serverName,
} from "../wire/node.ts";
import type { World } from "../world.ts";
import { checkAssertion } from "./assertion.ts";
import type { PasskeyExchange } from "./exchange.ts";

interface StepCall {
  readonly world: World;
  readonly registration: Registration;
  /** The first child of the query. */
  readonly stanza: Node;
  readonly afterwards: (work: () => void) => void;
}
type Step = (call: StepCall) => Node[] | undefined;

/** The queries of a client that is asked for a passkey, by the tag of their child. */
export const passkeySteps: Readonly<Record<string, Step>> = {
  passkey_request_options: (call) => [
    node("passkey_request_options", {}, Buffer.from(JSON.stringify(needExchange(call).options))),
  ],
  ref: takeRef,
  passkey_prologue: takePrologue,
  companion_nonce: takeNonce,
  encrypted_pairing_request: takeRequest,
};

function needExchange({ world, registration }: StepCall): PasskeyExchange {
  const { passkey } = registration;
  if (!passkey) throw notAllowed();
  if (passkey.comparison === "different") throw refused(world, passkey, "declined");
  return passkey;
}

/** A refusal; its reason is in the event, because what the real server says is not known. */
function refused(world: World, { person }: PasskeyExchange, reason: string): IqError {
  world.note("passkey_refused", person, reason);
  return new IqError(403, "forbidden");
}

function takeRef(call: StepCall): Node[] {
  const exchange = needExchange(call);
  exchange.ref = `2@${randomBytes(24).toString("base64url")}`;
  return [node("ref", {}, Buffer.from(exchange.ref))];
}

function takePrologue(call: StepCall): undefined {
  const { world, registration, stanza } = call;
  const exchange = needExchange(call);
  if (exchange.prologue) throw refused(world, exchange, "replayed");
  if (exchange.isExpired(world.nowMs())) throw refused(world, exchange, "expired");
  const assertion = needBytes(stanza, "webauthn_assertion");
  const { challenge, person } = exchange;
  const checked = checkAssertion(assertion, { challenge, passkeys: person.passkeys });
  if ("fault" in checked) throw refused(world, exchange, checked.fault);
  const { passkey, counter } = checked;
  if (needBytes(stanza, "credential_id").toString("base64url") !== passkey.id)
    throw refused(world, exchange, "unknown_credential");
  exchange.prologue = readPrologue(world, exchange, stanza);
  passkey.counter = counter;
  world.note("passkey_accepted", person, exchange.prologue.isProved ? "proved" : "unproved");
  world.changed();
  call.afterwards(() => {
    if (world.settings.passkeyPhone === "auto") continueExchange(world, registration);
  });
  return undefined;
}

function readPrologue(world: World, exchange: PasskeyExchange, stanza: Node) {
  const payload = needBytes(stanza, "prologue_payload");
  const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload);
  const identity = Buffer.from(companionEphemeralIdentity ?? []);
  const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity);
  if (publicKey?.length !== 32 || commitment?.hash?.length !== 32 || deviceType == null)
    throw new MalformedStanza("prologue_payload");
  if (!exchange.ref || ref !== exchange.ref) throw refused(world, exchange, "wrong_ref");
  const proof = bytesOf(child(stanza, "pairing_handoff_proof"));
  const fault = proof && exchange.checkProof(payload, proof, world.nowMs());
  if (fault) throw refused(world, exchange, `${fault}_proof`);
  return {
    publicKey: Buffer.from(publicKey),
    deviceType,
    identity,
    commitment: Buffer.from(commitment.hash),
    isProved: proof !== undefined,
  };
}

/** The phone answers the accepted prologue. */
export function continueExchange(world: World, { connection, passkey }: Registration): void {
  if (!passkey?.prologue) return;
  const identity = proto.PrimaryEphemeralIdentity.encode(passkey.primaryIdentity).finish();
  const t = seconds(world.nowMs());
  connection.send(
    node(
      "notification",
      { from: serverName, type: "crsc_continuation", id: `crsc-${passkey.challenge.slice(0, 8)}`, t },
      [node("primary_ephemeral_identity", {}, identity)],
    ),
  );
}

function takeNonce(call: StepCall): undefined {
  const exchange = needExchange(call);
  const nonce = bytesOf(call.stanza);
  if (!exchange.prologue || nonce?.length !== 32) throw new MalformedStanza("companion_nonce");
  if (!exchange.open(exchange.prologue, nonce)) throw refused(call.world, exchange, "wrong_commitment");
  return undefined;
}

function takeRequest(call: StepCall): undefined {
  const { world, registration } = call;
  const exchange = needExchange(call);
  const { prologue, code } = exchange;
  if (!prologue || code === undefined) throw new MalformedStanza("companion_nonce");
  const request = openRequest(exchange.encryptionKey(prologue), bytesOf(call.stanza));
  if (!request) throw refused(world, exchange, "wrong_request_key");
  const { noiseKey, identityKey } = registration.keys;
  if (!request.noiseKey.equals(noiseKey) || !request.identityKey.equals(identityKey))
    throw refused(world, exchange, "foreign_keys");
  exchange.newSecret = request.secret;
  call.afterwards(() => linkIfCompared(world, registration));
  return undefined;
}

/** The phone links the device once it has the request, and the person has compared the codes where that is necessary. */
export function linkIfCompared(world: World, registration: Registration): void {
  const { passkey } = registration;
  if (!passkey?.newSecret) return;
  if (!passkey.prologue?.isProved && passkey.comparison !== "same") return;
  const { person, newSecret: secret, forgery } = passkey;
  registration.passkey = undefined;
  void offerIdentity(world, registration, person, { secret, forgery });
}

function openRequest(key: Buffer, wrapped: Buffer | undefined) {
  try {
    const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(wrapped ?? Buffer.alloc(0));
    const plain = openGcm(key, iv ?? Buffer.alloc(0), encryptedPayload ?? Buffer.alloc(0));
    const { companionPublicKey, companionIdentityKey, advSecret } = proto.PairingRequest.decode(plain);
    if (advSecret?.length !== 32) return undefined;
    return {
      noiseKey: Buffer.from(companionPublicKey ?? []),
      identityKey: Buffer.from(companionIdentityKey ?? []),
      secret: Buffer.from(advSecret),
    };
  } catch {
    return undefined;
  }
}
