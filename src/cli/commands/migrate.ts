import { migrate } from "../../database/migrate.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../with-database.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database's schema up to date; the service also does this when it starts",
  args: [],
  options: {},
  async run({ print }) {
    const outcome = await withDatabase(({ db, log }) => migrate(db, { log }), { migrated: false });
    print(outcome, () =>
      outcome.applied.length === 0 ? "The schema is up to date" : `Applied ${outcome.applied.join(", ")}`,
    );
  },
};
