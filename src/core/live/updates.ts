import type { Base } from "../base.ts";
import type { ChatIdentity } from "../chat/by-name.ts";
import type { About } from "../event/about.ts";
import type { LogRow } from "../event/live-log.ts";
import { type ChannelView, listChannels } from "../inbox/abilities.ts";
import {
  type AllMarks,
  type ChatRow,
  chatView,
  loadChats,
  loadMarks,
  ownView,
  type Viewer,
} from "../inbox/chat-view.ts";
import { loadEntries, type PlacedEntry } from "../inbox/entries.ts";
import type { MessageRow } from "../inbox/message-row.ts";
import { loadMessages, messageView } from "../inbox/message-view.ts";

/** The present state of something that changed. `id` is the position in the log. */
export interface LiveUpdate {
  readonly id: number;
  readonly type: About | "entry";
  /** Sent to employees who may see this chat; null: to all employees of the account. */
  readonly chat: ChatIdentity | null;
  /** The event's data as JSON for this employee. Employees who see the same share one string. */
  dataFor(viewer: Viewer): string;
}

/** Bytes of text that are loaded at a time, for all pages of an account. */
const MAX_LOADED_BYTES = 512 * 1024;

/** `position`: that of the last row which the updates include; it is earlier than the last row if they were too large. */
export interface LoadedUpdates {
  readonly updates: readonly LiveUpdate[];
  readonly position: number;
}

/**
 * Loads what the rows of one account's log refer to, in log order. Messages, chats and channels take one statement each;
 * an object that occurs several times appears at its last position, and deleted objects are left out. Expects at least
 * one row.
 */
export async function loadUpdates(
  core: Base,
  accountId: number,
  rows: readonly LogRow[],
  users: readonly string[],
): Promise<LoadedUpdates> {
  const last = new Map(rows.map((row) => [keyOf(row), row]));
  const latest = rows.filter((row) => last.get(keyOf(row)) === row);
  const { db } = core;
  const loaded = await loadMessages(db, accountId, subjectsOf(latest, "message"), MAX_LOADED_BYTES);
  const cut = latest.find(({ about, subject }) => about === "message" && subject === loaded.cutAt);
  const taken = cut === undefined ? rows : rows.slice(0, rows.indexOf(cut));
  const kept = cut === undefined ? latest : latest.slice(0, latest.indexOf(cut));
  const messages = byId(loaded.rows);
  const others = subjectsOf(kept, "message").filter((id) => !messages.has(id));
  const entries = byId(await loadEntries(db, accountId, others));
  const chatIds = new Set([
    ...[...messages.values()].map(({ chat }) => chat),
    ...[...entries.values()].map(({ view }) => view.chat_id),
    ...subjectsOf(kept, "chat"),
    ...subjectsOf(kept, "client"),
  ]);
  const channelIds = subjectsOf(kept, "channel");
  const [chats, channels] = await Promise.all([
    loadChats(db, accountId, [...chatIds]).then(byId),
    channelIds.length === 0 ? [] : listChannels(core, { scope: { accountId } }, channelIds),
  ]);
  const marks = await loadMarks(db, accountId, { users, chats: [...chats.keys()] });
  const texts = new ChatTexts(core.settings.publicUrl, marks);
  const context = { core, messages, entries, chats, channels, texts };
  return {
    updates: kept.flatMap((row) => updatesOfRow(context, row)),
    position: taken.at(-1)?.id ?? 0,
  };
}

function keyOf({ about, subject }: LogRow): string {
  return `${about} ${subject}`;
}

function subjectsOf(rows: readonly LogRow[], about: LogRow["about"]): string[] {
  return rows.filter((row) => row.about === about).map(({ subject }) => subject);
}

interface Context {
  readonly core: Base;
  readonly messages: ReadonlyMap<string, MessageRow>;
  /** Subjects of the kind `message` that are no messages. */
  readonly entries: ReadonlyMap<string, PlacedEntry>;
  readonly chats: ReadonlyMap<string, ChatRow>;
  readonly channels: readonly ChannelView[];
  readonly texts: ChatTexts;
}

function updatesOfRow(
  { core, messages, entries, chats, channels, texts }: Context,
  { id, about, subject }: LogRow,
): LiveUpdate[] {
  switch (about) {
    case "message": {
      const entry = entries.get(subject);
      if (entry !== undefined) return entryUpdate({ chats }, id, entry);
      const message = messages.get(subject);
      const chat = chats.get(message?.chat ?? "");
      if (message === undefined || chat === undefined) return [];
      const text = JSON.stringify(messageView(core, message));
      const written = new Map<string, string>();
      const dataFor = (viewer: Viewer): string => {
        const chatText = texts.of(chat, viewer);
        const data = written.get(chatText) ?? `{"message":${text},"chat":${chatText}}`;
        written.set(chatText, data);
        return data;
      };
      return [{ id, type: about, chat, dataFor }];
    }
    case "chat": {
      const chat = chats.get(subject);
      if (chat === undefined) return [];
      return [{ id, type: about, chat, dataFor: (viewer) => `{"chat":${texts.of(chat, viewer)}}` }];
    }
    case "client": {
      const chat = chats.get(subject);
      if (chat === undefined) return [];
      // Only the chat is named: a page that shows the client requests it, so CRM data are not loaded for other pages.
      const text = JSON.stringify({ chat_id: subject });
      return [{ id, type: about, chat, dataFor: () => text }];
    }
    case "channel": {
      const channel = channels.find(({ channel_id: found }) => found === subject) ?? null;
      const text = JSON.stringify({ channel_id: subject, channel });
      return [{ id, type: about, chat: null, dataFor: () => text }];
    }
    case "reload":
      return [{ id, type: about, chat: null, dataFor: () => "{}" }];
  }
}

function entryUpdate({ chats }: Pick<Context, "chats">, id: number, { view }: PlacedEntry): LiveUpdate[] {
  const chat = chats.get(view.chat_id);
  const text = JSON.stringify({ entry: view });
  return chat === undefined ? [] : [{ id, type: "entry", chat, dataFor: () => text }];
}

/** A chat's JSON, serialized once for all employees who see the same of it. */
class ChatTexts {
  readonly #publicUrl: string;
  readonly #marks: AllMarks;
  readonly #texts = new Map<string, string>();

  constructor(publicUrl: string, marks: AllMarks) {
    this.#publicUrl = publicUrl;
    this.#marks = marks;
  }

  of(chat: ChatRow, viewer: Viewer): string {
    const own = ownView(chat, this.#marks.of(viewer.userId, chat.id), viewer);
    const key = `${chat.id} ${JSON.stringify(own)}`;
    const text = this.#texts.get(key) ?? JSON.stringify(chatView(chat, own, this.#publicUrl));
    this.#texts.set(key, text);
    return text;
  }
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
