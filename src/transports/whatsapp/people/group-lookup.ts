import type { GroupMetadata, WASocket } from "baileys";
import { seenGroup } from "../inbound/group-updates.ts";
import type { WhatsAppLink } from "../link.ts";
import type { People } from "./people.ts";

/** The data of a group: what is known of it, or what WhatsApp says, which is then reported as well. */
export async function lookUpGroup(
  jid: string,
  {
    socket,
    people,
    link,
  }: { readonly socket: WASocket; readonly people: People; readonly link: WhatsAppLink },
): Promise<GroupMetadata> {
  const known = people.group(jid);
  if (known !== undefined) return known;
  const metadata = await socket.groupMetadata(jid);
  people.learnGroup(metadata);
  const seen = seenGroup(metadata);
  if (seen !== null) link.emit(seen).catch(() => undefined);
  return metadata;
}
