import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionLost, isConflict, isTemporary } from "../database/database.ts";

/**
 * Runs again what may be repeated when the connection broke under way, or when it collided with another transaction;
 * gives up when no connection is to be had.
 */
export async function repeatWhenLost<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const passes = error instanceof ConnectionLost || isConflict(error);
      if (!passes || attempt >= 5) throw error;
    }
  }
}

/**
 * For what must be stored whatever it takes: runs again until the database takes it, or until `isOver` says that
 * nobody waits for it any more.
 */
export async function repeatUntilStored<T>(run: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isTemporary(error) || isOver()) throw error;
      await sleep(200);
    }
  }
}
