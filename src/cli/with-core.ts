import type { Core } from "../core/core.ts";
import { openSeal } from "../core/key/installation-seal.ts";
import { createCore, settingsOf } from "../service/create-core.ts";
import { openDirectory } from "../service/databases.ts";
import { commandKeys, type DatabaseContext, withDatabase } from "./with-database.ts";

/** Runs a command that changes accounts as a node does, with the settings of the service. It is not a node. */
export function withCore<T>(work: (core: Core, place: DatabaseContext) => Promise<T>): Promise<T> {
  return withDatabase(async (place) => {
    const { config, db, log } = place;
    const seal = await openSeal(db, await commandKeys(config));
    const settings = settingsOf(config, null);
    const directory = openDirectory(config, log, () => undefined);
    const core = await createCore({ config, log, db, seal, settings, emulators: new Map(), directory });
    try {
      return await work(core, place);
    } finally {
      await core.accept.close();
      await core.live.close();
      core.moves.close();
      await core.signals.close();
      await directory?.close();
    }
  });
}
