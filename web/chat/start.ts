import { signal } from "@preact/signals";
import { type Live, type LiveEvent, openLive } from "../kit/live.ts";
import { loadChannels, takeChannel } from "./channels.ts";
import { changedClient, countUnanswered, known, loadChats, settleChat, takeChat } from "./chats.ts";
import { loadAhead } from "./later.ts";
import { openChat, place } from "./navigation.ts";
import type { Asked } from "./new-chat.tsx";
import { announceStreamed } from "./parent.ts";
import { ask, endSession, openSession, renewByParent, session } from "./session.ts";
import { loadTexts } from "./texts/texts.ts";
import {
  forgetThreads,
  hasWindow,
  openThread,
  refresh,
  refreshAbilities,
  takeMessage,
  threadOf,
} from "./thread.ts";

export const live = signal<Live | null>(null);
/** Whom the CRM's page asked for and who has no chat yet; the form for a new chat opens on it. */
export const askedFor = signal<Asked | null>(null);

/** Opens the session of the page's ticket, the stream, and what the CRM's page asked for. */
export async function start(): Promise<void> {
  const ticket = new URLSearchParams(location.search).get("ticket") ?? "";
  const [isOpen] = await Promise.all([session.value !== null || openSession(ticket), loadTexts()]);
  if (!isOpen) return;
  listen();
  const lists = Promise.all([loadChats(), loadChannels(), countUnanswered()]).catch(() => undefined);
  await openAsked(lists);
  loadAhead();
}

/** Goes on with a session that the page around this one renewed. */
export function renew(): () => void {
  return renewByParent(listen);
}

let wasReady = false;

function listen(): void {
  live.value?.close();
  wasReady = false;
  live.value = openLive({ token: () => session.value?.token ?? "", on: take });
}

function take(event: LiveEvent): void {
  switch (event.type) {
    case "ready":
      // What happened between the first requests and the stream's begin; later ones resume without a gap.
      if (!wasReady) catchUp();
      wasReady = true;
      return;
    case "message":
      takeChat(event.chat);
      takeMessage(event.message);
      if (event.message.direction === "in") refreshWindow(event.message.chat_id);
      announceStreamed(event.message, event.chat);
      return;
    case "chat":
      takeChat(event.chat);
      return;
    case "client":
      changedClient.value = { of: event.chat_id };
      return;
    case "channel":
      takeChannel(event.channel_id, event.channel);
      refreshStanding(event.channel_id);
      return;
    case "reload":
      catchUp();
  }
}

function catchUp(): void {
  changedClient.value = { of: null };
  void loadChats();
  void loadChannels().catch(() => undefined);
  void countUnanswered();
  forgetThreads(openThread.value);
}

/** What can be sent in the open chat, when its channel has changed. */
function refreshStanding(channelId: string): void {
  const open = openThread.value;
  if (open !== null && known.value.get(open)?.channel_id === channelId) void refreshAbilities(threadOf(open));
}

/** A customer's words open the messenger's window, or keep it open for longer. */
function refreshWindow(chatId: string): void {
  if (openThread.value === chatId && hasWindow(chatId)) void refreshAbilities(threadOf(chatId));
}

/** The conversation is asked for beside the lists: it is what the employee came for. */
async function openAsked(lists: Promise<unknown>): Promise<void> {
  const asked = session.value?.active_chat ?? null;
  if (asked === null || place.value !== null) return;
  if (asked.chat_id === null) {
    await lists;
    askedFor.value = {
      name: asked.name ?? "",
      phone: asked.phone ?? "",
      username: asked.username ?? "",
    };
    return;
  }
  const thread = threadOf(asked.chat_id);
  const chat = settleChat(asked.chat_id, ask("getChat", { path: { id: asked.chat_id } }));
  await Promise.all([chat, refresh(thread), refreshAbilities(thread)]);
  if (place.value === null) await openChat(asked.chat_id);
}

/** The stream ends with the session. */
export function followEnd(): void {
  if (live.value?.state.value === "over") endSession(session.peek()?.token);
}
