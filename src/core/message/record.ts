import { isDuplicate } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { type Avatar, askForAvatars, type HasAvatars } from "../chat/avatars.ts";
import { clearChatCache, forgetChat, type HasChats, rememberChat } from "../chat/chats.ts";
import { publishRequestsAndCommit } from "../crm/publish-requests.ts";
import type { HasLogReaders } from "../event/log-readers.ts";
import { announce } from "../event/publish.ts";
import type { Fact } from "../payload/facts.ts";
import { applyKept, type HasEarlyReports, storeEarlyReports } from "./early-reports.ts";
import type { ReadPosition } from "./read-reports.ts";
import { recordRun } from "./record-run.ts";
import type { Located, MessengerEvent, Report } from "./report.ts";
import { forgetNames, locate, takeAlong } from "./report-chats.ts";
import { runsOfOneKind } from "./report-runs.ts";

/**
 * Stores messengers' reports, with the events that follow from them, in one transaction and in the given order.
 * Repeating a report changes nothing and publishes nothing.
 */
export async function recordReports(
  core: Base & HasEarlyReports & HasChats & HasAvatars & HasLogReaders,
  reports: readonly Report[],
): Promise<RecordedReports> {
  try {
    return await storeReports(core, reports);
  } catch (error) {
    // Another chat got the id of a new one in the meantime, by the outcome of a send or on another node. Now it is found.
    if (!isDuplicate(error)) throw error;
    clearChatCache(core);
    return storeReports(core, reports);
  }
}

export interface RecordedReports {
  /** For each report, what is left to be stored in a further transaction: null, or a `readUpTo` about many messages. */
  readonly left: readonly (Report | null)[];
  /** What was published. */
  readonly facts: readonly Fact[];
}

async function storeReports(
  core: Base & HasEarlyReports & HasChats & HasAvatars & HasLogReaders,
  reports: readonly Report[],
): Promise<RecordedReports> {
  const located = await locate(core, reports);
  // All reports of a large batch belong to one account, or to many with few each.
  const size = { owner: reports[0]?.accountId ?? 0, rows: reports.length };
  const { stored, told, early, left, facts } = await core.db.bulk(size, async (tx) => {
    // The transaction may run again.
    const stored = located.map((report) => ({ ...report }));
    const { chats, rest } = await storeEarlyReports(tx, stored);
    const kept = [...chats];
    const facts: Fact[] = [];
    const left = new Map<Report, ReadPosition>();
    for (const run of runsOfOneKind(rest)) {
      const recorded = await recordRun(core, tx, run);
      facts.push(...recorded.facts);
      kept.push(...(recorded.kept ?? []));
      for (const [report, readFrom] of recorded.left ?? []) left.set(report as Located, readFrom);
      for (const found of recorded.renamed ?? []) takeAlong(found, rest);
    }
    return {
      stored,
      told: await publishRequestsAndCommit(tx, facts, core.logReaders),
      early: [...new Set(kept)],
      left,
      facts,
    };
  });
  for (const [index, report] of stored.entries()) noteStored(core, report, located[index]?.chat);
  announce(core, told);
  applyKept(core, early);
  if (located.some(({ event }) => hasFile(event))) core.signals.notify("files");
  // Pictures are fetched in the background.
  void askForAvatars(core, stored.flatMap(avatarOf)).catch((error: unknown) =>
    core.log.debug({ err: error }, "pictures could not be requested"),
  );
  return {
    facts,
    left: stored.map((report, index) => {
      const readFrom = left.get(report);
      return readFrom === undefined ? null : { ...(reports[index] ?? report), readFrom };
    }),
  };
}

/** `expected`: the chat that was found before the transaction. */
function noteStored(core: Base & HasChats, { channelId, chat, event }: Located, expected = chat): void {
  if (event.kind === "message") {
    const { chatType, chatId, direction } = event.message;
    if (direction === "in") core.signals.notify("replies", `${channelId} ${chat}`);
    if (chat !== expected) forgetChat(core, { channelId, chatType, chatId });
    rememberChat(core, channelId, { id: chat, chatType, chatId, isNew: false });
  }
  if (event.kind === "moved") forgetNames(core, { channelId, ...event });
}

function hasFile(event: MessengerEvent): boolean {
  if (event.kind === "message") return event.message.body.type === "media";
  if (event.kind === "edited") return event.body.type === "media";
  return event.kind === "group" && event.picture != null;
}

function avatarOf({ accountId, channelId, chat, event }: Located): Avatar[] {
  const file = event.kind === "message" ? event.message.contact.avatar : undefined;
  return file === undefined ? [] : [{ accountId, channelId, chat, file }];
}
