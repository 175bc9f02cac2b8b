import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { INHERITED } from "../../test/kit/environment.ts";
import type { Account } from "../members.ts";
import type { Random } from "../random.ts";
import type { Cell, Stage } from "../stage.ts";
import { seconds } from "./contract.ts";
import type { Happened } from "./make.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
const PAUSE_MS = 3_000;
const AGAIN_MS = 1_000;

interface Moves {
  readonly random: Random;
  readonly stop: AbortSignal;
  tell(happened: Happened): void;
}

/**
 * Moves accounts to and fro until `stop` aborts, and until one has moved, with the command line. Some commands are killed
 * and repeated, some of these moves revoked. Resolves when no move is under way.
 */
export async function moveAccounts(stage: Stage, { random, stop, tell }: Moves): Promise<Pauses> {
  const pauses: number[] = [];
  for (;;) {
    await sleep(random.between(0, PAUSE_MS), undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted && pauses.length > 0) return pauses;
    const account = random.pick(stage.accounts);
    const sinceMs = performance.now();
    const name = `move account ${account.accountId}`;
    const [from, to] = await sidesOf(stage.cells, account);
    const kills = random.chance(0.3) ? random.between(0, 6_000) : null;
    const first = kills === null ? null : await run(account, from, to, { killAfterMs: kills });
    const killed = first?.isDone === false;
    if (killed && random.chance(0.4)) {
      const revoked = await run(account, from, to, { revokes: true });
      tell({
        name,
        what: `killed after ${seconds(kills ?? 0)} and ${revoked.isDone ? "revoked" : `not revoked (${revoked.text})`}`,
        sinceMs,
      });
      // It may have become effective before it was killed.
      if (revoked.isDone) continue;
    }
    const text = first?.isDone === true ? first.text : await moved(account, from, to);
    pauses.push(...pausesIn(text));
    const before = killed ? `the command killed once after ${seconds(kills ?? 0)}; ` : "";
    tell({ name, what: before + text, sinceMs });
  }
}

/** For how long the requests of each moved account waited, in seconds. */
export type Pauses = readonly number[];

/** None if an earlier, killed command made the switch. */
function pausesIn(text: string): number[] {
  const [, pause] = /waited for ([\d.]+) s/.exec(text) ?? [];
  return pause === undefined ? [] : [Number(pause)];
}

/** Repeats the command until it succeeds: databases and nodes may be away. */
async function moved(account: Account, from: Cell, to: Cell): Promise<string> {
  for (;;) {
    const { isDone, text } = await run(account, from, to, {});
    if (isDone) return text;
    await sleep(AGAIN_MS);
  }
}

/** The cell that has the account, and the other one. */
async function sidesOf(cells: readonly Cell[], { accountId }: Account): Promise<[Cell, Cell]> {
  for (;;)
    for (const cell of cells) {
      const rows = await cell.postgres.query("select 1 from tokens where account_id = $1", [accountId]);
      const other = cells.find((each) => each !== cell);
      if (rows.length > 0 && other !== undefined) return [cell, other];
    }
}

interface RunOptions {
  readonly killAfterMs?: number;
  readonly revokes?: true;
}

async function run(
  { accountId }: Account,
  from: Cell,
  to: Cell,
  { killAfterMs, revokes }: RunOptions,
): Promise<{ readonly isDone: boolean; readonly text: string }> {
  const how = revokes
    ? ["--revoke"]
    : ["--address", to.address, "--to-files", join(String(to.environment["DATA_DIR"]), "files")];
  const args = [MAIN, "account", "move", String(accountId), "--to", to.databaseUrl, ...how];
  const child = spawn(process.execPath, args, {
    cwd: String(from.environment["DATA_DIR"]),
    env: { ...INHERITED, SANDBOX: "0", ...from.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [text, problem] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    text += String(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    problem = String(chunk);
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { isDone: code === 0, text: (code === 0 ? text : problem).trim() };
}
