import { describe } from "../kit/failures.ts";
import type { Bot } from "./bot.ts";
import { chatTypeOf } from "./names.ts";
import { type MaxUpdate, readChat, readUpdate } from "./update.ts";

type Requester = Pick<Bot, "link" | "client" | "signal">;

/** How long a message waits for the title of its group. */
const LIMIT_MS = 2_000;

/** Fetches the titles of the groups in updates, which contain ids only (dev.max.ru, "GET /chats/{chatId}"). */
export async function findTitles(
  updates: readonly unknown[],
  asker: Requester,
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  for (const update of updates.flatMap(groupUpdate)) {
    const title = update.title ?? titles.get(update.chatId) ?? (await findTitle(update.chatId, asker));
    titles.set(update.chatId, title);
    if (update.title !== undefined) await asker.link.state.set(keyOf(update.chatId), update.title);
  }
  return titles;
}

interface GroupUpdate {
  readonly chatId: string;
  /** Set if the update itself contains the title. */
  readonly title: string | undefined;
}

/** Empty for an update that is not about a group or does not need its title. */
function groupUpdate(raw: unknown): GroupUpdate[] {
  const update = tryRead(raw);
  const chatId = update?.message?.recipient?.chat_id ?? update?.chat_id;
  const type = update?.update_type;
  if (chatId === undefined || type === "message_edited" || type === "message_removed") return [];
  const isGroup = chatTypeOf(chatId, update?.message?.recipient?.chat_type) === "maxgroup";
  return isGroup ? [{ chatId, title: type === "chat_title_changed" ? update?.title : undefined }] : [];
}

function tryRead(raw: unknown): MaxUpdate | undefined {
  try {
    return readUpdate(raw);
  } catch {
    return undefined;
  }
}

/** The stored title of a group, or the current one; "" if MAX does not return it. */
async function findTitle(chatId: string, { client, link, signal }: Requester): Promise<string> {
  const kept = await link.state.get(keyOf(chatId));
  if (kept !== null) return kept;
  try {
    const chat = readChat(await client.call("GET", `/chats/${chatId}`, { signal, timeoutMs: LIMIT_MS }));
    const title = chat?.title ?? "";
    if (title !== "") await link.state.set(keyOf(chatId), title);
    return title;
  } catch (error) {
    link.log("debug", "MAX: a group's title could not be fetched", { detail: describe(error, client) });
    return "";
  }
}

function keyOf(chatId: string): string {
  return `title:${chatId}`;
}
