import { compareAccounts, type Listing, listNewAccounts } from "../../core/account/listing.ts";
import { compareChannels, compareListed, releaseGivenUp } from "../../core/channel/link/compare-links.ts";
import type { Core } from "../../core/core.ts";
import { cellOfAccount, registerCell } from "../../core/directory/cells.ts";
import { type Directory, DirectoryAway } from "../../core/directory/directory.ts";
import type { LinkPosition } from "../../core/directory/links.ts";
import { LogThrottle } from "../../core/log-throttle.ts";
import { standAside } from "../../core/move/stand-aside.ts";
import { shareNewTokens } from "../../core/oauth/machine.ts";
import { followPartners } from "../../core/oauth/shared-partners.ts";
import { readDatabaseId } from "../../database/server-state.ts";
import type { UpkeepStep } from "./upkeep.ts";

const FIRST_CHANNEL = "00000000-0000-0000-0000-000000000000";
const FIRST_LINK: LinkPosition = { accountId: 0, claim: FIRST_CHANNEL };
/** A node stores a claim within seconds; longer than any node may be frozen and still own its channel. */
const SETTLED_MS = 600_000;
const REPEATS_AFTER_MS = 600_000;

/**
 * What the leader does in the directory for its cell. While the directory is away its steps do nothing, and do not fail:
 * that is reported as such.
 */
export class DirectoryUpkeep {
  readonly #core: Core;
  readonly #directory: Directory;
  readonly #settledMs: number;
  readonly #told = new LogThrottle({ maxEntries: 1_000, ttlMs: REPEATS_AFTER_MS });
  #account = 0;
  #channel = FIRST_CHANNEL;
  #link = FIRST_LINK;

  constructor(core: Core, directory: Directory, settledMs = SETTLED_MS) {
    this.#core = core;
    this.#directory = directory;
    this.#settledMs = settledMs;
  }

  /** What others wait for: each second. */
  quick(): UpkeepStep[] {
    const { db } = this.#core;
    return [
      step("list accounts in the directory", async () => {
        const listing = await listNewAccounts(db, this.#directory);
        await this.#tell(listing);
        return listing.count;
      }),
      step("share machine tokens", () => shareNewTokens(db, this.#directory)),
      step("release links in the directory", () => releaseGivenUp(this.#core, this.#directory)),
    ];
  }

  /** The comparison, a page at a time: every ten seconds. */
  paced(): UpkeepStep[] {
    const { db } = this.#core;
    return [
      step("register the cell", () => this.#register()),
      step("follow the partners of other cells", () => this.#followPartners()),
      step("compare accounts with the directory", async () => {
        const listing = await compareAccounts(db, this.#directory, this.#account);
        this.#account = listing.next ?? 0;
        await this.#tell(listing);
        return listing.elsewhere.length;
      }),
      step("compare channels with the directory", async () => {
        const { next, changed } = await compareChannels(this.#core, this.#directory, this.#channel);
        this.#channel = next ?? FIRST_CHANNEL;
        return changed;
      }),
      step("compare the directory with channels", async () => {
        const { next, changed } = await compareListed(this.#core, this.#directory, {
          after: this.#link,
          minAgeMs: this.#settledMs,
        });
        this.#link = next ?? FIRST_LINK;
        return changed;
      }),
    ];
  }

  async #register(): Promise<number> {
    const isRegistered = await registerCell(this.#directory, await readDatabaseId(this.#core.db));
    if (!isRegistered && this.#told.shouldLog("cell"))
      this.#core.log.error(
        { cell: this.#directory.cell },
        "another database uses the name of this cell in the directory: give one of the two another CELL, or end the copy",
      );
    return 0;
  }

  async #followPartners(): Promise<number> {
    const { log } = this.#core;
    const double = await followPartners(this.#core, this.#directory);
    for (const email of double)
      if (this.#told.shouldLog(email))
        log.error(
          { email },
          "two cells have a partner with this e-mail address; each is known in its own cell only",
        );
    return double.length;
  }

  async #tell({ elsewhere }: Listing): Promise<void> {
    const { db, log } = this.#core;
    for (const { accountId, cell, hasMoved } of elsewhere) {
      const found = hasMoved ? await cellOfAccount(this.#directory, accountId) : null;
      const address = found?.address ?? null;
      if (address !== null) await standAside(db, accountId, address);
      if (!this.#told.shouldLog(String(accountId))) continue;
      if (!hasMoved)
        log.error(
          { accountId, cell },
          "two cells have an account of the same id; new links of the account here wait",
        );
      else if (address === null)
        log.error(
          { accountId, cell },
          "the account has moved to another cell, and this database is an older backup; set CELL_ADDRESS there, so that requests can be passed on",
        );
      else
        log.warn(
          { accountId, cell },
          "the account has moved to another cell, and this database is an older backup: it is left alone here, and its requests are passed on",
        );
    }
  }
}

function step(name: string, work: () => Promise<number>): UpkeepStep {
  return {
    name,
    async run() {
      try {
        return { rows: await work(), hasMore: false };
      } catch (error) {
        if (error instanceof DirectoryAway) return { rows: 0, hasMore: false };
        throw error;
      }
    },
  };
}
