import type { Bundle } from "../signal/agreement.ts";
import { bigEndian, type Node, node, seconds, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import type { Companion } from "./person.ts";

/** The keys of a bundle in stanza form. */
export function bundleNodes({ identityKey, signedPreKey, preKey }: Bundle): Node[] {
  return [
    node("type", {}, Buffer.of(5)),
    node("identity", {}, identityKey),
    node("skey", {}, [
      node("id", {}, bigEndian(signedPreKey.id, 3)),
      node("value", {}, signedPreKey.key),
      node("signature", {}, signedPreKey.signature),
    ]),
    ...(preKey
      ? [node("key", {}, [node("id", {}, bigEndian(preKey.id, 3)), node("value", {}, preKey.key)])]
      : []),
  ];
}

/** A device's bundle for a new session with it; notifies the device if its keys run low. */
export function takeBundle(world: World, companion: Companion): Bundle {
  const { bundle, isLow } = companion.takeBundle();
  if (isLow) tellLow(world, companion);
  world.changed();
  return bundle;
}

/** The server requests more one-time keys, with the number that is left. */
export function tellLow(world: World, companion: Companion): void {
  companion.deliver(
    node(
      "notification",
      {
        from: serverName,
        type: "encrypt",
        id: `low-${companion.preKeys.size}-${world.newMessageId()}`,
        t: seconds(world.nowMs()),
      },
      [node("count", { value: String(companion.preKeys.size) })],
    ),
  );
}
