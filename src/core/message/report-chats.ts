import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { type ChatName, forgetChat, type HasChats, resolveChat, resolveChats } from "../chat/chats.ts";
import { moveChat } from "../chat/move.ts";
import type { ChatType } from "../transport/definition.ts";
import { chatOf, type Located, type LocatedMove, type Report } from "./report.ts";

/** Our chats of the reports, in their order. */
export async function locate<R extends Report>(
  core: Base & HasChats,
  reports: readonly R[],
): Promise<(R & { chat: string })[]> {
  const found = await resolveChats(core, reports, chatNameOf);
  return Promise.all(
    found.map(async ([report, { id, isNew }]) => {
      const former = isNew ? await formerChat(core, report) : null;
      return { ...report, chat: former ?? id };
    }),
  );
}

function chatNameOf({ accountId, channelId, event }: Report): ChatName {
  const { chatType, chatId } = chatOf(event);
  return { accountId, channelId, chatType, chatId };
}

/** A chat that is known only by a former id continues under its current one. */
async function formerChat(core: Base & HasChats, report: Report): Promise<string | null> {
  const { accountId, channelId, event } = report;
  if (event.kind !== "message" || event.message.formerChatId === undefined) return null;
  const { chatType, chatId, formerChatId } = event.message;
  const former = await resolveChat(core, { accountId, channelId, chatType, chatId: formerChatId });
  if (former.isNew) return null;
  await core.db.tx((tx) => moveChat(tx, { accountId, chat: former.id, newChatId: chatId }));
  forgetNames(core, { channelId, chatType, chatId: formerChatId, newChatId: chatId });
  return former.id;
}

/** From this report on, its chat has this name. */
export interface Renamed {
  readonly report: Located;
  readonly chatId: string;
}

/** Later reports with the name are about the chat that has it now. */
export function takeAlong({ report, chatId }: Renamed, reports: readonly Located[]): void {
  const { channelId, chatType } = chatNameOf(report);
  for (const later of reports.slice(reports.indexOf(report) + 1)) {
    const name = chatNameOf(later);
    if (name.channelId === channelId && name.chatType === chatType && name.chatId === chatId)
      later.chat = report.chat;
  }
}

/** Forgets what is cached of both names of a chat that moved. */
export function forgetNames(
  core: Base & HasChats,
  move: { channelId: string; chatType: ChatType; chatId: string; newChatId: string },
): void {
  forgetChat(core, move);
  forgetChat(core, { ...move, chatId: move.newChatId });
}

/** Gives chats their new names, and returns from which report on they have them. */
export async function recordMoves(tx: Queryable, moves: readonly LocatedMove[]): Promise<Renamed[]> {
  const renamed: Renamed[] = [];
  for (const report of moves) {
    const { newChatId } = report.event;
    if (await moveChat(tx, { accountId: report.accountId, chat: report.chat, newChatId }))
      renamed.push({ report, chatId: newChatId });
  }
  return renamed;
}
