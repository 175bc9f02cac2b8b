import { signal } from "@preact/signals";
import { isFramed } from "../kit/embed.ts";
import { type Live, type LiveEvent, openLive } from "../kit/live.ts";
import { alertOf } from "./alerts/alerts.ts";
import { channelsState, loadChannels, takeChannel } from "./channels.ts";
import { reachAgain, resumeOutbox, takeReport } from "./composer/outbox.ts";
import { loadAhead, togetherParts } from "./later.ts";
import {
  changedClient,
  known,
  listState,
  loadChats,
  reloadChats,
  settleChat,
  takeChat,
} from "./list/chats.ts";
import type { Asked } from "./list/new-chat.tsx";
import { followMessage } from "./moved.ts";
import { openChat, place } from "./navigation.ts";
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
} from "./thread/thread.ts";
import { ThreadPane } from "./thread/thread-part.ts";
import { noteTyping } from "./typing.ts";

export const live = signal<Live | null>(null);
/** The person whom the CRM's page opened and who has no chat yet, for the form of a new chat. */
export const askedFor = signal<Asked | null>(null);

/** Opens the session of the page's ticket, the stream, and what the CRM's page requested. */
export async function start(): Promise<void> {
  const ticket = new URLSearchParams(location.search).get("ticket") ?? "";
  // If it fails, it is loaded again when it is shown.
  ThreadPane.preload().catch(() => undefined);
  const [isOpen] = await Promise.all([session.value !== null || openSession(ticket), loadTexts()]);
  if (isOpen) await begin();
}

/** Loads and follows the chats with the first session. The texts must be loaded. */
async function begin(): Promise<void> {
  resumeOutbox();
  // Changes since the session was opened follow by the stream, so that the lists are loaded once.
  listen();
  const lists = Promise.all([loadChats(), loadChannels()]);
  if (place.value === null) await openAsked(lists);
  if (isFramed) void lists.then(followParent);
  loadAhead();
}

/** The embedding page may give commands once the lists are loaded. Without a connection, its commands are lost. */
async function followParent(): Promise<void> {
  const { takeCommands } = await import("./commands.ts");
  takeCommands();
}

/** Continues with a session opened or renewed by the embedding page. */
export function renew(): () => void {
  return renewByParent({
    begin: () => void loadTexts().then(begin),
    resume(opensChat) {
      reachAgain();
      listen();
      // What happened since the former session ended is unknown, and the new one may show other chats.
      catchUp();
      if (opensChat) void openAsked(Promise.resolve());
    },
  });
}

let wasReady = false;

function listen(): void {
  live.value?.close();
  wasReady = false;
  const from = session.value?.position ?? "";
  live.value = openLive({ from, token: () => session.value?.token ?? "", on: take });
}

function take(event: LiveEvent): void {
  switch (event.type) {
    case "ready":
      if (wasReady) loadWhatFailed();
      wasReady = true;
      return;
    case "message":
      takeChat(event.chat);
      takeMessage(event.message);
      takeReport(event);
      followMessage(event.message, event.chat);
      if (event.message.direction === "in") {
        noteTyping(event.message.chat_id, 0);
        refreshWindow(event.message.chat_id);
      }
      announceStreamed(event.message, event.chat);
      alertOf(event.message, event.chat);
      return;
    case "entry":
      takeMessage(event.entry);
      alertOf(event.entry, known.value.get(event.entry.chat_id));
      return;
    case "presence":
      void togetherParts().then(({ notePresence }) => notePresence(event));
      return;
    case "typing":
      noteTyping(event.chat_id, event.seconds);
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

/** The service can be reached again. */
function loadWhatFailed(): void {
  if (typeof listState.value === "object") void loadChats();
  if (typeof channelsState.value === "object") void loadChannels();
}

/** Loads everything anew. */
function catchUp(): void {
  changedClient.value = { of: null };
  void reloadChats();
  void loadChannels();
  forgetThreads(openThread.value);
}

/** Reloads what can be sent in the open chat when its channel has changed. */
function refreshStanding(channelId: string): void {
  const open = openThread.value;
  if (open !== null && known.value.get(open)?.channel_id === channelId) void refreshAbilities(threadOf(open));
}

/** A customer's message opens the messenger's window, or extends it. */
function refreshWindow(chatId: string): void {
  if (openThread.value === chatId && hasWindow(chatId)) void refreshAbilities(threadOf(chatId));
}

/** The conversation is loaded in parallel with the lists, because the employee came for it. */
async function openAsked(lists: Promise<unknown>): Promise<void> {
  const asked = session.value?.active_chat ?? null;
  if (asked === null) return;
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
  const before = place.value;
  const chat = settleChat(asked.chat_id, ask("getChat", { path: { id: asked.chat_id } }));
  await Promise.all([chat, refresh(thread), refreshAbilities(thread)]);
  // The employee may have opened another one meanwhile.
  if (place.value === before) await openChat(asked.chat_id);
}

/** The stream ends with the session. */
export function followEnd(): void {
  if (live.value?.state.value === "over") endSession(session.peek()?.token);
}
