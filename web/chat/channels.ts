import { batch, signal } from "@preact/signals";
import { inOrder } from "../kit/in-order.ts";
import type { Channel } from "./model.ts";
import { problemOf } from "./problem.ts";
import { ask } from "./session.ts";

export const channels = signal<readonly Channel[]>([]);
/** Whether their list is known; else the error of the last load, if there is one. */
export const channelsState = signal<"loading" | "loaded" | { readonly problem: string }>("loading");

/** Channels that changed while their list was loading; they are newer than the list. */
const meanwhile = new Map<string, Channel | null>();
const lists = inOrder();

/** Applies the present state of a channel; null: deleted. */
export function takeChannel(channelId: string, channel: Channel | null): void {
  meanwhile.set(channelId, channel);
  const others = channels.value.filter(({ channel_id: id }) => id !== channelId);
  channels.value = channel === null ? others : [...others, channel];
}

/** Loads the channels. The known ones stay until then, and if that fails. */
export async function loadChannels(): Promise<void> {
  const mayTake = lists();
  meanwhile.clear();
  if (channelsState.value !== "loaded") channelsState.value = "loading";
  try {
    const all = await ask("listChatChannels", {});
    if (!mayTake()) return;
    batch(() => {
      channels.value = all;
      channelsState.value = "loaded";
      for (const [id, channel] of meanwhile) takeChannel(id, channel);
    });
  } catch (error) {
    if (channelsState.value !== "loaded") channelsState.value = { problem: problemOf(error) };
  }
}
