import {
  bytesOf,
  child,
  children,
  MalformedStanza,
  type Node,
  node,
  seconds,
  serverName,
} from "../wire/node.ts";
import { type IqCall, needCompanion } from "./call.ts";

/** Settings shared by the devices of an account, as sealed patches, which the server numbers and forwards. */
export function answerAppState(call: IqCall): Node[] {
  const companion = needCompanion(call);
  if (call.first?.tag !== "sync") throw new MalformedStanza("sync");
  // The keys were part of the history.
  if (companion.history === "pushed") companion.history = "taken";
  return [
    node(
      "sync",
      {},
      children(call.first, "collection").map((each) => syncCollection(call, each)),
    ),
  ];
}

function syncCollection(call: IqCall, collection: Node): Node {
  const companion = needCompanion(call);
  const { name = "", version = "0" } = collection.attrs;
  const patches = companion.person.appState.get(name) ?? [];
  const sent = bytesOf(child(collection, "patch"));
  if (!sent) {
    const missed = patches.slice(Number(version)).map((patch) => node("patch", {}, patch));
    return node("collection", { name, version: String(patches.length), has_more_patches: "false" }, [
      node("patches", {}, missed),
    ]);
  }
  if (Number(version) !== patches.length)
    return node("collection", { name, type: "error" }, [node("error", { code: "409", text: "conflict" })]);
  companion.person.appState.set(name, [...patches, Buffer.from(sent)]);
  call.world.changed();
  call.afterwards(() => tellOthers(call, name));
  return node("collection", { name, version: String(patches.length + 1) });
}

function tellOthers(call: IqCall, name: string): void {
  const { person, device } = needCompanion(call);
  const { world } = call;
  for (const other of person.companions.values())
    if (other.device !== device)
      other.deliver(
        node(
          "notification",
          { from: serverName, type: "server_sync", id: world.newMessageId(), t: seconds(world.nowMs()) },
          [node("collection", { name, version: String(person.appState.get(name)?.length ?? 0) })],
        ),
      );
}
