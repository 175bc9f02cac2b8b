import { recordRestriction } from "../../core/channel/restriction.ts";
import type { Core } from "../../core/core.ts";
import { recordCooldown } from "../../core/pacing/cooldown.ts";
import {
  countAttempt,
  type DuePhone,
  duePhones,
  MAX_LOOKUP_ATTEMPTS,
  recordLookup,
  restLookups,
  takeLookup,
} from "../../core/phone/lookups.ts";
import type { FoundPerson } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { Lease } from "../lease.ts";
import { PollLoop } from "../poll-loop.ts";
import { freeCapacity, type SlotUser } from "./capacity.ts";
import type { OwnedChannel } from "./held-channel.ts";

interface OpenChannels {
  open(): readonly OwnedChannel[];
}

const POLL_INTERVAL_MS = 2_000;
/** Numbers that are looked up concurrently on this node. */
const SLOTS = 16;
const LOOKUP_TIMEOUT_MS = 30_000;
/** A lookup without a response is repeated after this long. */
const AGAIN_MS = 60_000;

export interface PhoneCheckerOptions {
  readonly core: Core;
  readonly sessions: OpenChannels;
  readonly lease: () => Lease;
  /** Whether limits apply; cooldowns of the messenger always do. */
  readonly isPaced: boolean;
}

/**
 * Looks up the numbers that clients asked about, through the sessions of this node: one number of a channel after the
 * other, at the pace of its transport. Numbers, results and the pace are in the tables, so the next owner continues.
 */
export class PhoneChecker {
  readonly #options: PhoneCheckerOptions;
  readonly #core: Core;
  readonly #running = new Map<string, SlotUser & { readonly done: Promise<void> }>();
  readonly #loop: PollLoop;

  constructor(options: PhoneCheckerOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#loop = new PollLoop({
      signals: this.#core.signals,
      topic: "phones",
      everyMs: POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched(),
      poll: () => this.#poll(),
      onError: (error) => this.#core.log.debug({ err: error }, "phone checks could not be polled"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Resolves when the lookups under way are done. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #poll(): Promise<boolean> {
    const able = new Map(
      this.#options.sessions
        .open()
        .filter((owned) => !this.#running.has(owned.channelId) && owned.canSend() && isAble(owned))
        .map((owned) => [owned.channelId, owned]),
    );
    if (able.size === 0) return false;
    let isAny = false;
    for (const due of await duePhones(this.#core.db, [...able.keys()])) {
      const owned = able.get(due.channelId);
      if (owned === undefined || !this.#hasSlot(owned)) continue;
      const { accountId, transport } = owned;
      const done = this.#check(owned, due);
      this.#running.set(due.channelId, { accountId, transport: transport.definition.id, done });
      isAny = true;
    }
    return isAny;
  }

  #hasSlot({ accountId, transport }: OwnedChannel): boolean {
    const free = freeCapacity(this.#running.values(), SLOTS);
    return free.ofAccount(accountId) > 0 && free.ofTransport(transport.definition.id) > 0;
  }

  /** Never rejects. */
  async #check(owned: OwnedChannel, due: DuePhone): Promise<void> {
    try {
      const own = owned.transport.definition.pacing;
      const { nodeId } = this.#options.lease();
      const { accountId, channelId, epoch } = owned;
      const key = { accountId, channelId, epoch, nodeId };
      const wait = await takeLookup(this.#core.db, key, due.phone, { own, isPaced: this.#options.isPaced });
      if (wait === 0) await this.#lookUp(owned, due);
      else if (wait !== null) await restLookups(this.#core.db, owned, wait + jitter(own));
    } catch (error) {
      const { channelId } = owned;
      this.#core.log.debug({ err: error, channelId }, "a phone check failed; it is tried again");
    } finally {
      this.#running.delete(owned.channelId);
      this.#loop.now();
    }
  }

  async #lookUp(owned: OwnedChannel, due: DuePhone): Promise<void> {
    // A node that was frozen since must not ask.
    if (!owned.canSend()) return;
    const channel = { ...owned, transport: owned.transport.definition.id };
    const { accountId, channelId, transport } = channel;
    const result = await this.#ask(owned, due);
    if (result !== "again")
      await recordLookup(this.#core, { accountId, channelId, transport }, due.phone, result);
    if (this.#options.isPaced) {
      const pause = jitter(owned.transport.definition.pacing);
      if (pause > 0) await restLookups(this.#core.db, owned, pause);
    }
  }

  async #ask(owned: OwnedChannel, due: DuePhone): Promise<FoundPerson | null | "unknown" | "again"> {
    try {
      return await owned.limits.run(LOOKUP_TIMEOUT_MS, async (signal) =>
        owned.session.findPerson === undefined ? "unknown" : owned.session.findPerson(due.phone, signal),
      );
    } catch (error) {
      return this.#failed(owned, due, error);
    }
  }

  async #failed(owned: OwnedChannel, due: DuePhone, error: unknown): Promise<"unknown" | "again"> {
    const { accountId, channelId } = owned;
    this.#core.log.debug({ err: error, channelId }, "a number could not be looked up");
    if (error instanceof TransportError) {
      const { cooldown, restriction, retry } = error;
      if (cooldown !== undefined)
        await recordCooldown(this.#core, { accountId, channelId }, cooldown, { exactly: false });
      if (restriction !== undefined)
        await recordRestriction(this.#core, { accountId, channelId }, restriction.kind, restriction);
      if (typeof retry === "object") {
        await restLookups(this.#core.db, owned, retry.afterMs);
        return "again";
      }
      if (retry === "never" && cooldown === undefined) return "unknown";
    }
    if (due.attempts + 1 >= MAX_LOOKUP_ATTEMPTS) return "unknown";
    await countAttempt(this.#core.db, accountId, due);
    await restLookups(this.#core.db, owned, AGAIN_MS);
    return "again";
  }
}

function isAble({ transport, session }: OwnedChannel): boolean {
  return transport.definition.pacing.phoneChecks !== undefined && session.findPerson !== undefined;
}

function jitter({ phoneChecks }: OwnedChannel["transport"]["definition"]["pacing"]): number {
  return Math.random() * (phoneChecks?.jitterMs ?? 0);
}
