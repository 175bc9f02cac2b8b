import { migrate } from "../../database/migrate.ts";
import {
  describeWaiting,
  pendingMigrations,
  schemaVersion,
  type WaitingContract,
  waitingContracts,
} from "../../database/schema.ts";
import type { Command } from "../command.ts";
import { type DatabaseContext, withDatabase } from "../with-database.ts";

/** What was applied, or is pending, and which contracts wait for which nodes. */
interface Outcome {
  readonly schema: number;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  readonly waiting: readonly WaitingContract[];
}

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database's schema up to date; the service also does this when it starts",
  args: [],
  options: {
    status: { help: "Change nothing; show what is pending, and which nodes contracts wait for" },
  },
  async run({ print, switches }) {
    const work = switches.includes("status") ? listPending : bringUpToDate;
    const outcome = await withDatabase(work, { migrated: false, empty: "migrate" });
    print(outcome, () => linesOf(outcome).join("\n"));
  },
};

async function listPending({ db }: DatabaseContext): Promise<Outcome> {
  return {
    schema: await schemaVersion(db),
    applied: [],
    pending: await pendingMigrations(db),
    waiting: await waitingContracts(db),
  };
}

async function bringUpToDate({ db, log }: DatabaseContext): Promise<Outcome> {
  const { applied, waiting } = await migrate(db, { log });
  return { schema: await schemaVersion(db), applied, pending: [], waiting };
}

function linesOf({ applied, pending, waiting, schema }: Outcome): string[] {
  const lines = [
    ...(applied.length === 0 ? [] : [`Applied ${applied.join(", ")}`]),
    ...(pending.length === 0 ? [] : [`Pending: ${pending.join(", ")}`]),
    ...waiting.map(describeWaiting),
  ];
  return lines.length === 0 ? [`The schema is up to date: version ${schema}`] : lines;
}
