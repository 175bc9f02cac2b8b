import type { ChannelProfile, GroupEvent } from "../../../core/transport/events.ts";
import type { Community } from "../community.ts";

/** Emits a change of the community. It has no id of its own; should VK report it too, core publishes it once. */
export async function reportChange(
  { link }: Community,
  {
    peerId,
    own,
    change,
  }: {
    readonly peerId: string;
    readonly own: ChannelProfile;
    readonly change: Pick<GroupEvent, "title" | "picture">;
  },
): Promise<void> {
  const at = new Date();
  const what = change.title === undefined ? "picture" : "title";
  const ref = { chatType: "vk", chatId: peerId, externalId: `${what}:${at.getTime()}` } as const;
  const by = { id: `-${own.messengerId}`, name: own.name };
  await link.emit({ kind: "group", ref, at, by, ...change });
}
