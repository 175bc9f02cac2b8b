import { describe } from "../kit/failures.ts";
import type { Bot } from "./bot.ts";
import { chatTypeOf } from "./names.ts";
import { type MaxUpdate, readChat, readUpdate } from "./update.ts";

type Requester = Pick<Bot, "link" | "client" | "signal">;

/** How long a message waits for the title of its group. */
const LIMIT_MS = 2_000;
/** After this long, MAX is asked again for a title that it did not return. */
const RETRY_MS = 10 * 60_000;
const MAX_UNTITLED = 1_000;

/** Until when a group of a channel counts as one without a title. */
const untitled = new Map<string, number>();

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
  if (chatId === undefined || type === "message_removed") return [];
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
async function findTitle(chatId: string, asker: Requester): Promise<string> {
  const { link } = asker;
  const kept = await link.state.get(keyOf(chatId));
  if (kept !== null) return kept;
  const group = `${link.channelId}:${chatId}`;
  if ((untitled.get(group) ?? 0) > performance.now()) return "";
  const title = await fetchTitle(chatId, asker);
  if (title === "") rememberUntitled(group);
  else await link.state.set(keyOf(chatId), title);
  return title;
}

async function fetchTitle(chatId: string, { client, link, signal }: Requester): Promise<string> {
  try {
    const answer = await client.call("GET", `/chats/${chatId}`, { signal, timeoutMs: LIMIT_MS });
    return readChat(answer)?.title ?? "";
  } catch (error) {
    link.log("debug", "MAX: a group's title could not be fetched", { detail: describe(error, client) });
    return "";
  }
}

function rememberUntitled(group: string): void {
  untitled.delete(group);
  untitled.set(group, performance.now() + RETRY_MS);
  const [oldest] = untitled.keys();
  if (untitled.size > MAX_UNTITLED && oldest !== undefined) untitled.delete(oldest);
}

function keyOf(chatId: string): string {
  return `title:${chatId}`;
}
