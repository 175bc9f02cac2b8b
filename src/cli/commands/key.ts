import { adoptDerivation, adoptKey } from "../../core/key/installation-seal.ts";
import { nodesWithOtherKeys, type RotationStep, reseal } from "../../core/key/rotation.ts";
import type { Database } from "../../database/database.ts";
import type { Seal } from "../../platform/seal.ts";
import { type Command, CommandFailed, needed } from "../command.ts";
import { withOtherCell } from "../other-cell.ts";
import { titledTable } from "../table.ts";
import { commandKeys, withDatabase } from "../with-database.ts";
import { withKeys } from "../with-keys.ts";

/** Values written during a run are found by the next one; more runs than this mean that a node uses another key. */
const MAX_RUNS = 10;

export const keyRotate: Command = {
  name: "key rotate",
  summary: "Re-encrypt all values from SECRET_KEY_OTHER to SECRET_KEY, while the service runs",
  args: [],
  options: {},
  async run({ print, progress }) {
    const result = await withKeys(async ({ db, seal }) => {
      await refuseOtherKeys(db, seal);
      const columns = await resealAll(db, seal, progress);
      await refuseOtherKeys(db, seal);
      await adoptKey(db, seal);
      return { fingerprint: seal.fingerprint, columns };
    });
    print(result, () => shown(result.fingerprint, result.columns));
  },
};

export const keyAdopt: Command = {
  name: "key adopt",
  summary:
    "Join a new cell, named by CELL, to the first one: take over its derivation key, and a range of account ids",
  args: [],
  options: {
    from: {
      value: "DATABASE",
      help: "DATABASE_URL of the first cell, or the DATA_DIR of its embedded database on this machine",
      required: true,
    },
  },
  async run({ options, print }) {
    const joined = await withDatabase(
      (place) =>
        withOtherCell(place, needed(options["from"]), async (other) => {
          const { cell } = place.config;
          if (cell === null)
            throw new CommandFailed("Set CELL, the name of this cell, for this command and for the nodes.");
          const ids = await adoptDerivation(place.db, other.db, {
            ...(await commandKeys(place.config)),
            cell,
          });
          return { cell, ids };
        }),
      { empty: "migrate" },
    );
    print(
      joined,
      () =>
        `This is the cell "${joined.cell}". It derives its callbacks, links and tokens as the first one, and numbers its accounts from ${joined.ids.first} to ${joined.ids.last}. Start it with CELL=${joined.cell}.`,
    );
  },
};

/** Refuses to run while a node uses another key, because it would keep sealing with that key. */
async function refuseOtherKeys(db: Database, seal: Seal): Promise<void> {
  const others = await nodesWithOtherKeys({ db, seal });
  if (others.length > 0)
    throw new CommandFailed(
      `These nodes seal with another key: ${others.join(", ")}. Restart them with this SECRET_KEY, and the other one as SECRET_KEY_OTHER, and run the command again`,
    );
}

/** Repeats until a run finds nothing to do. */
async function resealAll(
  db: Database,
  seal: Seal,
  progress: (line: string) => void,
): Promise<RotationStep[]> {
  const totals = new Map<string, RotationStep>();
  for (let run = 0; run < MAX_RUNS; run++) {
    const before = sum([...totals.values()]);
    const found = new Map<string, RotationStep>();
    for await (const step of reseal({ db, seal })) {
      found.set(nameOf(step), step);
      if (step.resealed > 0) progress(`${nameOf(step)}: ${step.resealed} re-encrypted`);
    }
    for (const [name, step] of found)
      totals.set(name, { ...step, resealed: step.resealed + (totals.get(name)?.resealed ?? 0) });
    if (sum([...totals.values()]) === before) return [...totals.values()];
  }
  throw new CommandFailed(
    "A process still seals with another key. Look for processes with the old SECRET_KEY",
  );
}

function sum(steps: readonly RotationStep[]): number {
  return steps.reduce((count, { resealed }) => count + resealed, 0);
}

function nameOf({ table, column }: RotationStep): string {
  return `${table}.${column}`;
}

function shown(fingerprint: string, steps: readonly RotationStep[]): string {
  const rows = steps.map((step) => [nameOf(step), String(step.resealed), String(step.unreadable)]);
  return [
    titledTable(["values", "re-encrypted", "unreadable"], rows, ""),
    "",
    `Everything is encrypted with the key ${fingerprint}. Responses stored for an Idempotency-Key may need the other key for a day: then start the nodes without SECRET_KEY_OTHER.`,
  ].join("\n");
}
