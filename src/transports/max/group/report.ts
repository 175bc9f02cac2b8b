import type { GroupEvent, MemberChange } from "../../../core/transport/events.ts";
import type { Line } from "../outbound/sender.ts";
import { memberId } from "./people.ts";
import type { MaxGroup } from "./read.ts";

/** Emits changes of the account, which MAX reports only to others. */
export async function reportMembers(
  line: Line,
  { chat, chatId }: MaxGroup,
  { userIds, change }: { readonly userIds: readonly string[]; readonly change: MemberChange["change"] },
): Promise<void> {
  if (userIds.length === 0) return;
  const members = userIds.map((userId) => ({ change, person: personOf(line, userId) }));
  const about = aboutOf(line, chatId, `${change}:${userIds.join(",")}`);
  await line.link.emit({ kind: "members", ...about, title: chat.title ?? "", members });
}

export async function reportProfile(
  line: Line,
  chatId: bigint,
  change: Pick<GroupEvent, "title" | "picture">,
): Promise<void> {
  const what = change.title === undefined ? "picture" : "title";
  await line.link.emit({ kind: "group", ...aboutOf(line, chatId, what), ...change });
}

/** The change has no id of its own. */
function aboutOf(line: Line, chatId: bigint, what: string) {
  const at = new Date();
  const externalId = `${what}:${at.getTime()}`;
  const ref = { chatType: "maxgroup", chatId: String(chatId), externalId } as const;
  return { ref, at, by: personOf(line, line.people.self) };
}

function personOf({ people }: Line, userId: string) {
  return { id: memberId(people.self, userId), name: people.personOf(userId).name || userId };
}
