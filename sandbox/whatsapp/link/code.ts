import { pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { AdminError } from "../../http/fields.ts";
import { applyCtr, hkdf, openGcm } from "../crypto/cipher.ts";
import { agree, generateKeyPair } from "../crypto/x25519.ts";
import { askOrOffer, refusePasskeyless } from "../passkey/ask.ts";
import type { Person } from "../person/person.ts";
import { MalformedStanza, type Node, needBytes, node, seconds, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import { CodeLink, type CodeOutcome } from "./code-link.ts";
import { hasRoom } from "./pairing.ts";
import type { Registration } from "./registration.ts";

const rounds = 131_072;
const [saltBytes, ivBytes] = [32, 16];
const deriveKey = promisify(pbkdf2);

/**
 * `companion_hello`: the client requests to be linked by code. Returns the parts of the response; null for a number
 * without an account.
 */
export function beginCodeLink(world: World, registration: Registration, hello: Node): Node[] | null {
  const person = world.findByJid(hello.attrs["jid"]);
  if (!person) return null;
  const wrappedKey = needBytes(
    hello,
    "link_code_pairing_wrapped_companion_ephemeral_pub",
    saltBytes + ivBytes + 32,
  );
  if (!needBytes(hello, "companion_server_auth_key_pub", 32).equals(registration.keys.noiseKey))
    throw new MalformedStanza("companion_server_auth_key_pub");
  const link = new CodeLink(registration, wrappedKey);
  world.codeLinks.set(person.phone, link);
  world.note("code_requested", person);
  return [
    node("link_code_companion_reg", { stage: "companion_hello" }, [
      node("link_code_pairing_ref", {}, Buffer.from(link.ref)),
    ]),
  ];
}

/** A person types a code; resolves when the client has sent its part. */
export async function enterCode(world: World, person: Person, code: string): Promise<CodeOutcome> {
  const link = world.codeLinks.get(person.phone);
  if (!link?.registration.connection.isOpen)
    throw new AdminError(410, "expired_code", "no device waits for a code of this number");
  if (!hasRoom(person)) throw new AdminError(409, "device_limit", "this phone has 4 linked devices already");
  refusePasskeyless(person);
  const { wrappedKey, ref } = link;
  const theirs = applyCtr(
    await keyOf(code, wrappedKey.subarray(0, saltBytes)),
    wrappedKey.subarray(saltBytes, saltBytes + ivBytes),
    wrappedKey.subarray(saltBytes + ivBytes),
  );
  const own = generateKeyPair();
  const outcome = Promise.withResolvers<CodeOutcome>();
  link.typed = { person, shared: agree(own.privateKey, theirs), outcome };
  const salt = randomBytes(saltBytes);
  const iv = randomBytes(ivBytes);
  const wrapped = Buffer.concat([salt, iv, applyCtr(await keyOf(code, salt), iv, own.publicKey)]);
  link.registration.connection.send(
    node(
      "notification",
      {
        from: serverName,
        type: "link_code_companion_reg",
        id: `code-${ref.slice(0, 8)}`,
        t: seconds(world.nowMs()),
      },
      [
        node("link_code_companion_reg", { stage: "primary_hello" }, [
          node("link_code_pairing_wrapped_primary_ephemeral_pub", {}, wrapped),
          node("primary_identity_pub", {}, person.device.identity.publicKey),
          node("link_code_pairing_ref", {}, Buffer.from(ref)),
        ]),
      ],
    ),
  );
  return outcome.promise;
}

/**
 * `companion_finish`: with the right code, the phone can decrypt the client's keys, and both know the same secret.
 * Returns the work to do after the response to this query; null if the code was wrong.
 */
export function finishCodeLink(world: World, registration: Registration, finish: Node): (() => void) | null {
  const link = [...world.codeLinks.values()].find(
    (each) =>
      each.registration === registration &&
      each.ref === needBytes(finish, "link_code_pairing_ref").toString(),
  );
  const typed = link?.typed;
  if (!link || !typed) throw new MalformedStanza("link_code_pairing_ref");
  const opened = openBundle(needBytes(finish, "link_code_pairing_wrapped_key_bundle"), typed.shared);
  const identity = needBytes(finish, "companion_identity_public", 32);
  link.typed = undefined;
  const { person, outcome } = typed;
  if (
    !opened?.companionIdentity.equals(identity) ||
    !identity.equals(registration.keys.identityKey) ||
    !opened.primaryIdentity.equals(person.device.identity.publicKey)
  ) {
    world.note("code_wrong", person);
    outcome.resolve({ linked: false, reason: "wrong_code" });
    return null;
  }
  world.codeLinks.delete(person.phone);
  const identityShared = agree(person.device.identity.privateKey, identity);
  const secret = hkdf(Buffer.concat([typed.shared, identityShared, opened.random]), 32, {
    info: "adv_secret",
  });
  return () => void askOrOffer(world, registration, person, { secret }).then(outcome.resolve);
}

/** Ends waits for codes of a client that has disconnected. */
export function dropCodeLinks(world: World, registration: Registration): void {
  for (const [phone, link] of world.codeLinks)
    if (link.registration === registration) {
      link.typed?.outcome.resolve({ linked: false, reason: "refused_by_client" });
      world.codeLinks.delete(phone);
    }
}

function openBundle(bundle: Buffer, shared: Buffer) {
  const salt = bundle.subarray(0, 32);
  const key = hkdf(shared, 32, { salt, info: "link_code_pairing_key_bundle_encryption_key" });
  try {
    const plain = openGcm(key, bundle.subarray(32, 44), bundle.subarray(44));
    return {
      companionIdentity: plain.subarray(0, 32),
      primaryIdentity: plain.subarray(32, 64),
      random: plain.subarray(64, 96),
    };
  } catch {
    return undefined;
  }
}

function keyOf(code: string, salt: Buffer): Promise<Buffer> {
  return deriveKey(code, salt, rounds, 32, "sha256");
}
