import { type MovesOverview, readMoves, type UnfinishedMove } from "../../core/move/overview.ts";
import type { Queryable } from "../../database/database.ts";
import { commandLine } from "../../platform/command-line.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

const MEANING: Readonly<Record<UnfinishedMove["state"], string>> = {
  copying: "it works here",
  holding: "its requests wait for seconds",
  fenced: "its requests wait",
  moved: "it works there, and rows of it remain here",
};

/** Accounts that leave, or have left, this cell; nothing without any. */
export async function checkMoves(db: Queryable): Promise<Finding[]> {
  const moves = await readMoves(db);
  const stopped = moves.unfinished.filter(({ isAtWork }) => !isAtWork);
  if (stopped.length === 0) return finished(moves);
  const find = stopped.some(({ state }) => state === "fenced") ? fail : warn;
  const remedy = `Repeat "${commandLine("account move")}" with the same cell and address; --revoke ends a move that is not "moved"`;
  return [find("moves", `no command is at work: ${stopped.map(textOf).join("; ")}`, remedy)];
}

function finished({ unfinished, left }: MovesOverview): Finding[] {
  const present = unfinished.map(textOf);
  const past = left.map(({ address, accounts }) => `${accounts} left for ${address}`);
  return present.length + past.length === 0 ? [] : [ok("moves", [...present, ...past].join("; "))];
}

function textOf({ accountId, address, state, since }: UnfinishedMove): string {
  return `${accountId} to ${address}, ${state} since ${since.toISOString()} (${MEANING[state]})`;
}
