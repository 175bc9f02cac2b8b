import { sha1 } from "../crypto/cipher.ts";
import { bundleNodes, takeBundle } from "../person/bundle.ts";
import type { Companion } from "../person/person.ts";
import { type Bundle, isSigned } from "../signal/agreement.ts";
import { parseJid } from "../wire/jid.ts";
import {
  bigEndian,
  child,
  children,
  MalformedStanza,
  type Node,
  needBytes,
  needNumber,
  node,
} from "../wire/node.ts";
import type { World } from "../world.ts";
import { type IqCall, IqError, needCompanion, notDone } from "./call.ts";

/** Signal keys: counting, uploading and replacing those of a device, and fetching those of others. */
export function answerEncrypt(call: IqCall): Node[] | undefined {
  const companion = needCompanion(call);
  const { stanza, first, world } = call;
  if (stanza.attrs["type"] === "get") {
    if (first?.tag === "count") return [node("count", { value: String(companion.preKeys.size) })];
    if (first?.tag === "digest") return [digestOf(companion)];
    if (first?.tag === "key")
      return [
        node(
          "list",
          {},
          children(first, "user").map((each) => bundleOf(world, each)),
        ),
      ];
    throw notDone();
  }
  if (first?.tag === "rotate") rotate(companion, first);
  else upload(companion, stanza);
  world.changed();
  return undefined;
}

/** What the server has of a device's keys: their ids, and a hash by which the device notices that they differ. */
function digestOf({ keys, preKeys }: Companion): Node {
  const { registrationId, identityKey, signedPreKey } = keys;
  const { id, key, signature } = signedPreKey;
  return node("digest", {}, [
    node("registration", {}, bigEndian(registrationId, 4)),
    node("type", {}, Buffer.of(5)),
    node("identity", {}, identityKey),
    node("skey", {}, [
      node("id", {}, bigEndian(id, 3)),
      node("value", {}, key),
      node("signature", {}, signature),
    ]),
    node(
      "list",
      {},
      [...preKeys.keys()].map((id) => node("id", {}, bigEndian(id, 3))),
    ),
    node("hash", {}, sha1(identityKey, key, signature, ...preKeys.values())),
  ]);
}

function upload(companion: Companion, stanza: Node): void {
  const identityKey = needBytes(stanza, "identity", 32);
  if (!identityKey.equals(companion.keys.identityKey)) throw new IqError(406, "not-acceptable");
  const signedPreKey = readSignedPreKey(child(stanza, "skey"), identityKey);
  const list = children(child(stanza, "list"), "key");
  if (list.length === 0) throw new MalformedStanza("list");
  for (const each of list)
    companion.preKeys.set(needNumber(each, "id"), Buffer.from(needBytes(each, "value", 32)));
  companion.keys = {
    ...companion.keys,
    registrationId: needBytes(stanza, "registration", 4).readUInt32BE(),
    signedPreKey,
  };
}

function rotate(companion: Companion, rotation: Node): void {
  const signedPreKey = readSignedPreKey(child(rotation, "skey"), companion.keys.identityKey);
  companion.keys = { ...companion.keys, signedPreKey };
}

function readSignedPreKey(skey: Node | undefined, identityKey: Buffer): Bundle["signedPreKey"] {
  const signedPreKey = {
    id: needNumber(skey, "id"),
    key: Buffer.from(needBytes(skey, "value", 32)),
    signature: Buffer.from(needBytes(skey, "signature", 64)),
  };
  if (!isSigned({ identityKey, signedPreKey })) throw new IqError(406, "not-acceptable");
  return signedPreKey;
}

function bundleOf(world: World, user: Node): Node {
  const jid = user.attrs["jid"] ?? "";
  const device = parseJid(jid)?.device ?? 0;
  const person = world.findByJid(jid);
  const companion = person?.companions.get(device);
  const refused = () => node("user", { jid }, [node("error", { code: "406", text: "not-acceptable" })]);
  if (!person || (device !== 0 && !companion)) return refused();
  if (companion) return describeBundle(jid, takeBundle(world, companion), companion.signedIdentity);
  const bundle = person.device.issueBundle();
  world.changed();
  if (person.forgedBundles === 0) return describeBundle(jid, bundle);
  person.forgedBundles--;
  const signature = Buffer.from(bundle.signedPreKey.signature);
  signature[0] = (signature[0] ?? 0) ^ 1;
  return describeBundle(jid, { ...bundle, signedPreKey: { ...bundle.signedPreKey, signature } });
}

function describeBundle(jid: string, bundle: Bundle, identity?: Buffer): Node {
  return node("user", { jid }, [
    node("registration", {}, bigEndian(bundle.registrationId, 4)),
    ...bundleNodes(bundle),
    ...(identity ? [node("device-identity", {}, identity)] : []),
  ]);
}
