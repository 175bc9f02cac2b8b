import type { Core } from "../../core/core.ts";
import type { Schedule } from "../../core/delivery/request/policy.ts";
import type { HandedEvents, LogReader } from "../../core/event/log-readers.ts";
import type { Lease } from "../lease.ts";
import type { BatchPoster } from "./poster.ts";

/** A claim of a cursor by this node. */
export interface Run {
  /** Delivers until nothing is due, the cursor has to rest, the receiver has changed, or others should get a claim. */
  work(): Promise<void>;
  /** Ends the claim as soon as its requests under way have ended. */
  end(): void;
  /** New events were published. No effect once the claim is over: the dispatcher then polls again. */
  notify(): void;
  /** Null: the claim would not take events that are published now. */
  offer(): LogReader | null;
  /** Takes new events without reading them. False: it cannot, and has to be notified of those that concern it. */
  take(handed: HandedEvents): boolean;
}

/** What all claims of a node use. */
export interface RunOptions {
  readonly core: Core;
  readonly poster: BatchPoster;
  readonly lease: () => Lease;
  readonly schedule: Schedule;
  readonly maxItems: number;
  readonly maxBytes: number;
  /** A receiver that has accepted nothing for this long is paused. */
  readonly pauseAfterMs: number;
}

/** What a claim knows of the other claims of its node. */
export interface Surroundings {
  readonly isStopping: () => boolean;
  /** Bytes of events it may read ahead, given the account's other active receivers. */
  readonly share: () => number;
  /** It may keep the cursor while no events wait: enough free cursors are left for others. */
  readonly mayStay: () => boolean;
  /** Whether the node is busy with many small requests; call it once for each. */
  readonly isUnderLoad: () => boolean;
  /** Runs a read of the log within the account's limit of concurrent reads. */
  readonly readWithinLimit: <T>(read: () => Promise<T>) => Promise<T>;
}

/** A claim ends after this long, if others wait for one. */
export const CLAIM_DURATION_MS = 1_000;

/** The notice to the owner about a parked item. */
export function parkedNotice(reason: string): string {
  return `An item was refused until its schedule was over (${reason}) and is parked; it can be replayed.`;
}
