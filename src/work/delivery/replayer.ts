import type { Core } from "../../core/core.ts";
import { isCreation, storeAnswer } from "../../core/crm/creation-delivery.ts";
import { readByIds } from "../../core/delivery/cursor/events.ts";
import { removeParked } from "../../core/delivery/cursor/parked.ts";
import { findAddress } from "../../core/delivery/receiver/receivers.ts";
import { logAttempt } from "../../core/delivery/request/attempts.ts";
import { composeWhole } from "../../core/delivery/request/batch.ts";
import { type Posted, type Poster, sendBatch } from "../../core/delivery/request/deliver.ts";
import { isSuccess } from "../../core/delivery/request/policy.ts";
import {
  type ClaimedReplay,
  claimReplays,
  finishReplay,
  finishReplayItem,
  nextReplayItem,
  type ReplayItem,
  type ReplayKey,
  releaseReplay,
} from "../../core/delivery/request/replay.ts";
import type { Address } from "../../core/delivery/request/request.ts";
import { isSink } from "../../core/delivery/sink/sink.ts";
import type { Queryable } from "../../database/database.ts";
import { isHeldBy, type Lease } from "../lease.ts";
import { PollLoop } from "../poll-loop.ts";
import { fullAccounts } from "./full-accounts.ts";
import type { SinkPoster } from "./sink-poster.ts";

const MAX_REPLAYS = 20;
/** A hanging receiver can keep a replay busy for days. */
const MAX_OF_ACCOUNT = 2;

/** After this long a replay gives up its slot if all are taken. */
const TIME_SLICE_MS = 20_000;

/** A request for a replay notifies all nodes; polling finds it if the notification was lost. */
const POLL_INTERVAL_MS = 2_000;

export interface ReplayerOptions extends Poster {
  readonly core: Core;
  readonly sink: Pick<SinkPoster, "replay">;
  readonly lease: () => Lease;
  onReplay?(to: Address, posted: Posted): void;
}

/**
 * Sends deliveries again on request: the same body and id, signed with the current key, one attempt each, also to
 * paused receivers. The result does not change the receiver's health. If the node dies in between, a delivery may be
 * sent twice.
 */
export class Replayer {
  readonly #options: ReplayerOptions;
  readonly #core: Core;
  readonly #running = new Map<Promise<void>, ClaimedReplay>();
  /** Replays that gave up their slots; they continue when no others wait. */
  readonly #rested = new Set<string>();
  readonly #loop: PollLoop;

  constructor(options: ReplayerOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#loop = new PollLoop({
      signals: this.#core.signals,
      topic: "replays",
      everyMs: POLL_INTERVAL_MS,
      isWatched: () => this.#core.signals.isWatched(),
      poll: () => this.#claim(),
      onError: (error) => this.#core.log.debug({ err: error }, "replays could not be polled"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Takes no new work. Resolves when the requests under way have ended. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.allSettled(this.#running.keys());
  }

  async #claim(): Promise<boolean> {
    const lease = this.#options.lease();
    if (this.#isFull() || !lease.isValid()) return false;
    const inHand = [...this.#running.values()];
    const claimed = await claimReplays(this.#core.db, lease.nodeId, {
      limit: 1,
      inHand: inHand.map(({ id }) => id),
      without: fullAccounts(inHand, MAX_OF_ACCOUNT),
      rested: [...this.#rested],
    });
    for (const replay of claimed) this.#run(replay);
    if (claimed.length > 0) return true;
    const hadRested = this.#rested.size > 0;
    this.#rested.clear();
    return hadRested;
  }

  #isFull(): boolean {
    return this.#running.size >= MAX_REPLAYS;
  }

  #run(replay: ClaimedReplay): void {
    const running = this.#work(replay)
      .catch((error: unknown) =>
        this.#core.log.warn({ err: error, replayId: replay.id }, "a replay stopped for now"),
      )
      .finally(() => {
        this.#running.delete(running);
        if (this.#rested.has(replay.id)) this.#loop.now();
      });
    this.#running.set(running, replay);
  }

  /** Sends the items of a replay. If the node stops or loses its lease, another node continues. */
  async #work({ nodeId, ...key }: ClaimedReplay): Promise<void> {
    const { db, clock } = this.#core;
    const endsAt = clock.monotonicMs() + TIME_SLICE_MS;
    while (!this.#loop.isStopping && isHeldBy(this.#options.lease(), nodeId)) {
      if (this.#isFull() && clock.monotonicMs() >= endsAt) {
        this.#rested.add(key.id);
        return releaseReplay(db, { nodeId, ...key });
      }
      const item = await nextReplayItem(db, key);
      if (item === null) return finishReplay(db, key);
      await this.#send({ nodeId, ...key }, item);
    }
  }

  async #send({ nodeId, ...key }: ClaimedReplay, item: ReplayItem): Promise<void> {
    const { db } = this.#core;
    const to = await findAddress(db, key, item.receiverId);
    const batch = composeWhole(await readByIds(db, key, item.eventIds), item.eventIds);
    const obstacle = obstacleOf(to, batch !== null);
    if (to === null || batch === null || obstacle !== null) {
      await finishReplayItem(db, key, {
        position: item.position,
        status: null,
        failure: obstacle,
        attemptId: null,
      });
      return;
    }
    // The lease may have ended while the read waited for the database.
    if (!isHeldBy(this.#options.lease(), nodeId)) return;
    const posted = isSink(to)
      ? await this.#options.sink.replay(to, batch)
      : await sendBatch(this.#core, this.#options, { to, batch, purpose: "replay" });
    this.#options.onReplay?.(to, posted);
    const [event] = batch.events;
    const record = (tx: Queryable) => recordReplay(tx, key, { item, posted });
    if (event !== undefined && isCreation(event.kind) && isSuccess(posted.answer))
      await storeAnswer(this.#core, key, { event, answer: posted.text }, record);
    else await db.tx(record);
  }
}

/** Why the delivery cannot be sent again. `to` null: its receiver is deleted. */
function obstacleOf(to: { readonly url: string } | null, complete: boolean): string | null {
  if (to === null) return "the receiver no longer exists";
  if (to.url === "") return "the receiver no longer has an address";
  return complete ? null : "its events are deleted";
}

/** What the receiver has accepted is no longer parked. */
async function recordReplay(
  tx: Queryable,
  key: ReplayKey,
  { item, posted: { answer, attempt } }: { item: ReplayItem; posted: Posted },
): Promise<void> {
  const { position, receiverId, eventIds } = item;
  const attemptId = await logAttempt(tx, { accountId: key.accountId, endpointId: receiverId }, attempt);
  const { status, failure } = answer;
  await finishReplayItem(tx, key, { position, status, failure, attemptId });
  if (isSuccess(answer)) await removeParked(tx, key, { receiverId, eventIds });
}
