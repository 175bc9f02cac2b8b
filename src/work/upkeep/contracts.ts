import type { Database } from "../../database/database.ts";
import { migrate } from "../../database/migrate.ts";
import { RETRY_POLICY } from "../../database/migration-attempts.ts";
import { describeWaiting } from "../../database/schema.ts";
import type { Log } from "../../platform/log.ts";

/**
 * What applies the contracts that no node forbids any more, and returns how many are left. A contract that does not get
 * its locks at once fails; the next run tries again.
 */
export function createContractStep(options: {
  readonly db: Database;
  readonly log: Log;
  readonly directory: string | undefined;
}): () => Promise<number> {
  const { db, log, directory } = options;
  const retry = { ...RETRY_POLICY, giveUpAfterMs: 0 };
  let logged = "";
  return async () => {
    const { applied, waiting } = await migrate(db, { directory, log, retry });
    if (applied.length > 0) log.info({ applied }, "the database was migrated");
    const now = JSON.stringify(waiting);
    if (waiting.length > 0 && now !== logged)
      log.info({ waiting: waiting.map(describeWaiting) }, "migrations wait for nodes of earlier releases");
    logged = now;
    return waiting.length;
  };
}
