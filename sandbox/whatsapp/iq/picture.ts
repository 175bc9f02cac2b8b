import { changePicture } from "../chat/group-change.ts";
import { bytesOf, type Node, node } from "../wire/node.ts";
import { type IqCall, IqError, needCompanion, notAdmin, notAllowed, notDone, notFound } from "./call.ts";

const maxBytes = 5 * 1024 * 1024;

/** The picture of a person or a group; 404 for those without. */
export function answerPicture(call: IqCall): Node[] | Promise<Node[]> {
  needCompanion(call);
  const { stanza, first, world } = call;
  if (stanza.attrs["type"] === "set") return setPicture(call, stanza.attrs["target"] ?? "");
  if (stanza.attrs["type"] !== "get" || first?.tag !== "picture") throw notDone();
  const target = stanza.attrs["target"];
  const { picture } = world.findByJid(target) ?? world.groups.get(target ?? "") ?? {};
  if (!picture) throw notFound();
  const { id, url, directPath } = picture;
  return [node("picture", { id, type: first.attrs["type"], url, direct_path: directPath })];
}

/** A group's picture, a JPEG; without one it is removed. */
async function setPicture(call: IqCall, target: string): Promise<Node[]> {
  const { world, first } = call;
  const { person } = needCompanion(call);
  const group = world.groups.get(target);
  if (group === undefined) throw notFound();
  if (!group.members.has(person.phone)) throw notAllowed();
  if (group.locked && group.members.get(person.phone) === undefined) throw notAdmin();
  if (first === undefined) {
    call.afterwards(() => changePicture(world, group, { by: person, picture: undefined }));
    return [];
  }
  const bytes = bytesOf(first);
  const isJpeg = bytes !== undefined && bytes[0] === 0xff && bytes[1] === 0xd8;
  if (!isJpeg || bytes.length > maxBytes) throw new IqError(406, "not-acceptable");
  const id = String(Number(group.picture?.id ?? 0) + 1);
  const picture = { id, ...(await world.media.put(bytes)) };
  call.afterwards(() => changePicture(world, group, { by: person, picture }));
  return [node("picture", { id })];
}
