import { batch, signal } from "@preact/signals";
import { inOrder } from "../kit/in-order.ts";
import type { Channel } from "./model.ts";
import { ask } from "./session.ts";

export const channels = signal<readonly Channel[]>([]);

/** Channels that changed while their list was loading; they are newer than the list. */
const meanwhile = new Map<string, Channel | null>();
const lists = inOrder();

/** Applies the present state of a channel; null: deleted. */
export function takeChannel(channelId: string, channel: Channel | null): void {
  meanwhile.set(channelId, channel);
  const others = channels.value.filter(({ channel_id: id }) => id !== channelId);
  channels.value = channel === null ? others : [...others, channel];
}

export async function loadChannels(): Promise<void> {
  const mayTake = lists();
  meanwhile.clear();
  const all = await ask("listChatChannels", {});
  if (!mayTake()) return;
  batch(() => {
    channels.value = all;
    for (const [id, channel] of meanwhile) takeChannel(id, channel);
  });
}
