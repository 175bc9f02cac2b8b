import { type Node, node } from "../wire/node.ts";
import { type IqCall, needCompanion, notDone, notFound } from "./call.ts";

/** The picture of a person or a group; 404 for those without. */
export function answerPicture(call: IqCall): Node[] {
  needCompanion(call);
  const { stanza, first, world } = call;
  if (stanza.attrs["type"] !== "get" || first?.tag !== "picture") throw notDone();
  const target = stanza.attrs["target"];
  const { picture } = world.findByJid(target) ?? world.groups.get(target ?? "") ?? {};
  if (!picture) throw notFound();
  const { id, url, directPath } = picture;
  return [node("picture", { id, type: first.attrs["type"], url, direct_path: directPath })];
}
