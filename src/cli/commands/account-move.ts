import { existsSync } from "node:fs";
import { join } from "node:path";
import { cellName } from "../../core/cell.ts";
import type { Directory } from "../../core/directory/directory.ts";
import { knownFingerprint, openSeal } from "../../core/key/installation-seal.ts";
import { type Cell, moveAccount, revokeMove } from "../../core/move/move.ts";
import type { Database } from "../../database/database.ts";
import { commandLine } from "../../platform/command-line.ts";
import { createFileStore } from "../../platform/file/files.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { type OtherCell, withOtherCell } from "../other-cell.ts";
import { commandKeys, type DatabaseContext, withDatabase } from "../with-database.ts";
import { withDirectory } from "../with-directory.ts";

export const accountMove: Command = {
  name: "account move",
  summary: "Move an account to another cell (a database with its nodes) while it works",
  args: ["ACCOUNT"],
  options: {
    to: {
      value: "DATABASE",
      help: "DATABASE_URL of the other cell, or the DATA_DIR of its embedded database on this machine",
      required: true,
    },
    address: {
      value: "URL",
      help: "Where the nodes of this cell reach those of the other one, such as http://10.0.0.7:8080",
    },
    "to-files": {
      value: "DIRECTORY",
      help: "Without S3: the directory of the other cell's files; default: files in its DATA_DIR",
    },
    revoke: {
      help: "End the move to that cell if it has not become effective, or the cell has lost it; the account goes on here",
    },
  },
  async run({ args, options, switches, print, progress }) {
    const id = accountId(needed(args[0]));
    const to = needed(options["to"]);
    const revokes = switches.includes("revoke");
    const given = options["address"];
    const address = revokes && given === undefined ? "" : addressOf(given);
    const moved = await withDatabase((place) =>
      withOtherCell(place, to, async (other) => {
        const keys = await commandKeys(place.config);
        const source = await cellOf(place.db, keys);
        const target = await cellOf(other.db, keys);
        const ends = { accountId: id, source, target, progress };
        if (revokes) {
          await revokeMove({ ...ends, address: address === "" ? null : address });
          return { accountId: id, pausedMs: null };
        }
        const files = filesOf(place, other, options["to-files"]);
        return withTargetDirectory(place, other, (directory) =>
          moveAccount({ ...ends, address, files, directory }),
        );
      }),
    );
    print(moved, () => (revokes ? `The account ${id} stays here.` : shown(moved.accountId, moved.pausedMs)));
  },
};

function shown(id: number, pausedMs: number | null): string {
  const pause = pausedMs === null ? "" : ` Its requests waited for ${(pausedMs / 1000).toFixed(1)} s.`;
  return `The account ${id} is in the other cell.${pause} This cell passes on what still arrives for it.`;
}

function addressOf(text: string | undefined): string {
  if (text === undefined)
    throw new UsageError(`--address missing. See "${commandLine("account move")} --help".`);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError(`--address must be a URL such as http://10.0.0.7:8080, not "${text}"`);
  return url.href.replace(/\/$/, "");
}

async function withTargetDirectory<T>(
  place: DatabaseContext,
  { db }: OtherCell,
  work: (directory: Directory | null) => Promise<T>,
): Promise<T> {
  const cell = await cellName(db);
  if (place.config.directoryUrl !== null && cell === null)
    throw new CommandFailed(
      "The other cell has no name. Start its nodes with CELL and the same DIRECTORY_URL.",
    );
  return withDirectory(place, cell, work);
}

/** A cell with another key has no derivation that we could read; the move is refused before it matters. */
async function cellOf(db: Database, keys: Awaited<ReturnType<typeof commandKeys>>): Promise<Cell> {
  const fingerprint = (await knownFingerprint(db)) ?? "none";
  const seal = await openSeal(db, keys).catch((error: Error) => {
    if (error.name === "OtherSecretKey") return null;
    throw error;
  });
  return { db, fingerprint, derivation: seal?.derive("cell").toString("hex") ?? "" };
}

function filesOf({ config }: DatabaseContext, { dataDir }: OtherCell, given: string | undefined) {
  if (config.s3 !== null) return null;
  const to = given ?? (dataDir === null ? undefined : join(dataDir, "files"));
  if (to === undefined)
    throw new CommandFailed(
      "The files of this cell are on its disk. Name the directory of the other cell's files with --to-files, or store the files of both in S3.",
    );
  if (given !== undefined && !existsSync(given)) throw new CommandFailed(`There is no directory ${given}.`);
  return {
    from: createFileStore({ directory: join(config.dataDir, "files") }),
    to: createFileStore({ directory: to }),
  };
}
