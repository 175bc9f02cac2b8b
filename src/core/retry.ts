import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionLost, isConflict, isTemporary } from "../database/database.ts";

/**
 * Retries idempotent work after a broken connection, or after a conflict with another transaction; gives up if no
 * connection is available.
 */
export async function retryOnLostConnection<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const passes = error instanceof ConnectionLost || isConflict(error);
      if (!passes || attempt >= 5) throw error;
    }
  }
}

/** For data that must be stored: retries until the database accepts it, or until `isOver` returns true. */
export async function retryUntilStored<T>(run: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isTemporary(error) || isOver()) throw error;
      await sleep(200);
    }
  }
}
