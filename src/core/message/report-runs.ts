import { firstIdOf } from "../chat/chats.ts";
import type { Located } from "./report.ts";

/**
 * Groups the reports into runs of one kind that are stored together. Reports of one chat keep their order: a report
 * joins a run only behind all earlier reports of its chat. A move is also a report of the chat that the new name would
 * lead to. Pure.
 */
export function runsOfOneKind(reports: readonly Located[]): Located[][] {
  const runs: { readonly kind: string; readonly reports: Located[] }[] = [];
  const lastOfChat = new Map<string, number>();
  for (const report of reports) {
    const kind = kindOf(report);
    const chats = chatsOf(report);
    const from = Math.max(...chats.map((chat) => lastOfChat.get(chat) ?? 0));
    const found = runs.findIndex((run, index) => index >= from && run.kind === kind);
    const index = found === -1 ? runs.push({ kind, reports: [] }) - 1 : found;
    runs[index]?.reports.push(report);
    for (const chat of chats) lastOfChat.set(chat, index);
  }
  return runs.map((run) => run.reports);
}

function chatsOf({ channelId, chat, event }: Located): string[] {
  return event.kind === "moved"
    ? [chat, firstIdOf({ channelId, ...event, chatId: event.newChatId })]
    : [chat];
}

function kindOf({ event: { kind } }: Located): string {
  return kind === "failed" ? "receipt" : kind;
}
