import { audit } from "../../core/audit/audit.ts";
import { exportInstallation } from "../../core/transfer/export.ts";
import { importInstallation } from "../../core/transfer/import.ts";
import { createSeal } from "../../platform/seal.ts";
import { type Command, needed } from "../command.ts";
import { commandKeys, withDatabase } from "../with-database.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write a consistent export of the whole database to a file, while the service runs",
  args: ["FILE"],
  options: {},
  async run({ args, print, progress }) {
    const outcome = await withDatabase(async ({ config, db }) => {
      const { fingerprint } = createSeal((await commandKeys(config)).secretKey);
      await audit(db, { accountId: null, action: "installation.export" });
      return exportInstallation({ db, path: needed(args[0]), fingerprint, progress });
    });
    print(outcome, () =>
      [
        `Exported ${outcome.rows} rows to ${needed(args[0])}.`,
        "It contains the database. To move the installation, also copy the SECRET_KEY (or DATA_DIR/secret.key) and DATA_DIR/files.",
      ].join("\n"),
    );
  },
};

export const importCommand: Command = {
  name: "import",
  summary:
    "Import an export into an empty database, with the SECRET_KEY of the export and no service running",
  args: ["FILE"],
  options: {},
  async run({ args, print, progress }) {
    const outcome = await withDatabase(
      async ({ config, db, embedded }) => {
        await embedded?.claimService();
        const { fingerprint } = createSeal((await commandKeys(config)).secretKey);
        return importInstallation({ db, path: needed(args[0]), fingerprint, progress });
      },
      { empty: "restore" },
    );
    print(outcome, () => `Imported ${outcome.rows} rows. The service can now be started.`);
  },
};
