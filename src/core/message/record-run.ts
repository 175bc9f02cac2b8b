import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { recordGroup, recordMembers } from "../chat/group-updates.ts";
import type { Fact } from "../payload/facts.ts";
import { type KeptChange, keepChange } from "./early-changes.ts";
import { recordMessageChange } from "./messenger-changes.ts";
import { type ReadPosition, type ReadReport, recordReadReports } from "./read-reports.ts";
import { recordMessages } from "./record-messages.ts";
import type { Located, LocatedMessage, LocatedMove, MessengerEvent } from "./report.ts";
import { type Renamed, recordMoves } from "./report-chats.ts";
import { recordStatusReports, type StatusReport } from "./status-reports.ts";
import { recordReaction } from "./stored-reaction.ts";

/** What came of reports of one kind. */
interface Recorded {
  readonly facts: readonly Fact[];
  /** Reports that need a further transaction, and where it begins. */
  readonly left?: ReadonlyMap<ReadReport, ReadPosition>;
  readonly renamed?: readonly Renamed[];
  /** Chats with changes that are kept until their messages arrive. */
  readonly kept?: readonly string[];
}

/**
 * Records reports of one kind in the caller's transaction. Repeating a report changes nothing and publishes nothing.
 */
export async function recordRun(core: Base, tx: Queryable, run: readonly Located[]): Promise<Recorded> {
  const { publicUrl } = core.settings;
  switch (run[0]?.event.kind) {
    case "message":
      return recordMessages(core, tx, run as LocatedMessage[]);
    case "receipt":
    case "failed":
      return { facts: await recordStatusReports(core, tx, run as StatusReport[]) };
    case "readUpTo":
      return recordReadReports(core, tx, run as ReadReport[]);
    case "edited":
    case "deleted":
    case "reaction":
      return recordChanges(core, tx, run as KeptReport[]);
    case "moved":
      return { facts: [], renamed: await recordMoves(tx, run as LocatedMove[]) };
    case "group":
      return { facts: await inTurn(run as LocatedGroup[], (report) => recordGroup(tx, publicUrl, report)) };
    case "members":
      return {
        facts: await inTurn(run as LocatedMembers[], (report) => recordMembers(tx, publicUrl, report)),
      };
    case undefined:
      return { facts: [] };
  }
}

type LocatedGroup = Located<Extract<MessengerEvent, { kind: "group" }>>;
type LocatedMembers = Located<Extract<MessengerEvent, { kind: "members" }>>;

async function inTurn<R>(
  reports: readonly R[],
  record: (report: R) => Promise<readonly Fact[]>,
): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const report of reports) facts.push(...(await record(report)));
  return facts;
}

async function recordChanges(core: Base, tx: Queryable, run: readonly KeptReport[]): Promise<Recorded> {
  const facts: Fact[] = [];
  const kept: string[] = [];
  for (const report of run) {
    const found = await recordOne(core, tx, report);
    if (found === null && (await keepChange(tx, report))) kept.push(report.chat);
    else facts.push(...(found ?? []));
  }
  return { facts, kept };
}

type KeptReport = Omit<Located, "event"> & { readonly event: KeptChange };

function recordOne(core: Base, tx: Queryable, report: KeptReport): Promise<readonly Fact[] | null> {
  const { event } = report;
  return event.kind === "reaction"
    ? recordReaction(tx, report, event)
    : recordMessageChange(core, tx, { ...report, event });
}
