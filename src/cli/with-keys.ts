import type { Core } from "../core/core.ts";
import { openSeal } from "../core/key/installation-seal.ts";
import { systemClock } from "../platform/clock.ts";
import { commandKeys, type DatabaseContext, withDatabase } from "./with-database.ts";

/** The part of core that opens sealed values and signs with them. */
export type KeyHolder = Pick<Core, "db" | "seal" | "clock"> & {
  readonly settings: Pick<Core["settings"], "webhookContentType">;
};

/** Runs a command that reads values sealed with SECRET_KEY. */
export function withKeys<T>(work: (keys: KeyHolder, place: DatabaseContext) => Promise<T>): Promise<T> {
  return withDatabase(async (place) => {
    const { config, db } = place;
    const seal = await openSeal(db, await commandKeys(config));
    const settings = { webhookContentType: config.webhookContentType };
    return work({ db, seal, clock: systemClock, settings }, place);
  });
}
