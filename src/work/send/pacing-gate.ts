import type { Core } from "../../core/core.ts";
import type { SendJob } from "../../core/message/send-jobs.ts";
import { recordCooldown, recordPause } from "../../core/pacing/cooldown.ts";
import { recentFirstContacts, takeFirstContact } from "../../core/pacing/first-contacts.ts";
import { addChannelNoticeDaily } from "../../core/pacing/notices.ts";
import { retryUntilStored } from "../../core/retry.ts";
import { traitsOf } from "../../core/transport/definition.ts";
import type { Cooldown } from "../../core/transport/errors.ts";
import type { Lease } from "../lease.ts";
import type { OwnedChannel } from "../session/held-channel.ts";
import { FirstContactQueue } from "./first-contact-queue.ts";
import { ChannelPacing, type PacedMessage, type Wait } from "./pacing.ts";

/** Shorter pauses are not worth a statement. */
const LONG_PAUSE_MS = 5_000;
const DAY_MS = 86_400_000;

export interface PacingGateOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  /** Whether limits apply; pauses and cooldowns of the messenger always do. */
  readonly on: boolean;
  /** Waiting messages of this channel may be sent sooner now. */
  onSooner(channelId: string): void;
}

interface Known {
  readonly epoch: number;
  readonly pacing: ChannelPacing;
  stored: OwnedChannel["pacing"];
  line: FirstContactQueue | undefined;
  /** The queue is read at the first first contact. */
  reading: Promise<FirstContactQueue> | undefined;
  /** When the account was last notified that first contacts wait. */
  notifiedAt: number;
}

/** Decides what a message has to wait for before it is sent through one of this node's channels. */
export class PacingGate {
  readonly #options: PacingGateOptions;
  readonly #core: Core;
  readonly #known = new Map<string, Known>();

  constructor(options: PacingGateOptions) {
    this.#options = options;
    this.#core = options.core;
  }

  /** Takes over the channel's stored limits, which may end the waits of its messages. */
  heed(owned: OwnedChannel): void {
    this.#of(owned);
  }

  /**
   * Forgets channels that this node no longer owns. Their buckets are kept until they are full, for the case that the
   * node takes the channel back with the same epoch.
   */
  keep(isOwn: (channel: { readonly channelId: string; readonly epoch: number }) => boolean): void {
    for (const [channelId, known] of this.#known) {
      if (isOwn({ channelId, epoch: known.epoch })) continue;
      known.line = undefined;
      known.reading = undefined;
      if (known.pacing.isIdle(this.#now())) this.#known.delete(channelId);
    }
  }

  /** Number of channels with a state of their pacing. */
  get channels(): number {
    return this.#known.size;
  }

  /** How many messages the channel may send at once. */
  available(owned: OwnedChannel): number {
    return this.#of(owned).pacing.available(this.#now());
  }

  mindsFirstContacts(owned: OwnedChannel): boolean {
    return this.#of(owned).pacing.mindsFirstContacts(this.#now());
  }

  jitterMs(owned: OwnedChannel): number {
    return this.#of(owned).pacing.jitterMs();
  }

  /** The chat, or without one every chat, has no more messages: others no longer wait behind it. */
  forget(channelId: string, chat?: string): void {
    const line = this.#known.get(channelId)?.line;
    if (chat === undefined) line?.leaveAll();
    else line?.leave(chat);
  }

  /** First contacts that were stored elsewhere. A queue that is read later contains them. */
  countFirstContacts(channelId: string, ids: readonly string[]): void {
    const known = this.#known.get(channelId);
    void known?.reading?.then((line) => line.count(ids, this.#now())).catch(() => undefined);
  }

  /**
   * What the message waits for. Null: it may be sent, and its part of the limits is taken (durably for a first
   * contact). "unknown": the job was read without knowing that it matters whether it is a first contact, or the node
   * has lost the channel.
   */
  async pass(owned: OwnedChannel, job: SendJob): Promise<Wait | "unknown" | null> {
    const known = this.#of(owned);
    const isPrivate = traitsOf(job.chatType)?.group === false;
    if (isPrivate && job.isFirstContact === null && known.pacing.isCoolingDown(this.#now())) return "unknown";
    const first = isPrivate && job.isFirstContact === true ? await this.#first(owned, known, job) : undefined;
    if (first === undefined) known.line?.leave(job.chat);
    const message = { chat: job.chat, chatType: job.chatType, ...(first === undefined ? {} : { first }) };
    const wait = known.pacing.take(message, this.#now());
    if (wait?.by === "allowance") await this.#notifyAccount(owned, known);
    if (wait !== null || first === undefined) return wait;
    return (await this.#take(owned, job)) ? null : "unknown";
  }

  async #first(owned: OwnedChannel, known: Known, job: SendJob): Promise<PacedMessage["first"]> {
    known.reading ??= this.#readLine(owned, known);
    const { chat, id: jobId, messageId } = job;
    return { contact: { chat, jobId, messageId }, line: await known.reading };
  }

  async #readLine(owned: OwnedChannel, known: Known): Promise<FirstContactQueue> {
    try {
      const ages = await this.#store(() => recentFirstContacts(this.#core.db, owned));
      known.line = new FirstContactQueue(ages, this.#now());
      return known.line;
    } catch (error) {
      known.reading = undefined;
      throw error;
    }
  }

  #take(owned: OwnedChannel, { messageId }: SendJob): Promise<boolean> {
    const { nodeId } = this.#options.lease();
    return this.#store(() => takeFirstContact(this.#core.db, nodeId, owned, messageId));
  }

  #store<T>(run: () => Promise<T>): Promise<T> {
    return retryUntilStored(run, () => !this.#options.lease().isValid());
  }

  /** Notifies the account at most once a day that first contacts wait. */
  async #notifyAccount({ accountId, channelId }: OwnedChannel, known: Known): Promise<void> {
    const now = this.#now();
    if (now - known.notifiedAt < DAY_MS) return;
    known.notifiedAt = now;
    const text = "More first contacts are waiting than this channel's allowance permits today";
    const notice = { accountId, channelId, kind: "used_up", text } as const;
    const isNew = await this.#store(() => addChannelNoticeDaily(this.#core.db, notice));
    if (!isNew) return;
    const message = "first contacts wait: the day's allowance is used up";
    this.#core.channelLog.add({ accountId, channelId, at: this.#core.clock.now(), level: "warn", message });
  }

  /** Applies a pause that the messenger asked for. */
  async pause(owned: OwnedChannel, job: SendJob, scope: "chat" | "channel", ms: number): Promise<void> {
    this.#of(owned).pacing.pause(scope, job.chat, job.chatType, ms, this.#now());
    if (scope === "chat" || ms < LONG_PAUSE_MS) return;
    const { accountId, channelId } = owned;
    const message = "the messenger asked the channel to pause";
    const details = { seconds: Math.ceil(ms / 1_000) };
    const at = this.#core.clock.now();
    this.#core.channelLog.add({ accountId, channelId, at, level: "warn", message, details });
    await this.#store(() => recordPause(this.#core.db, owned, ms));
  }

  /** Applies a cooldown after the messenger's warning in response to a first contact. */
  async startCooldown(owned: OwnedChannel, cooldown: Cooldown): Promise<void> {
    const { accountId, channelId } = owned;
    const now = this.#now();
    this.#of(owned).pacing.startCooldown(
      now + cooldown.until.getTime() - this.#core.clock.now().getTime(),
      now,
    );
    await this.#store(() =>
      recordCooldown(this.#core, { accountId, channelId }, cooldown, { exactly: false }),
    );
  }

  #of(owned: OwnedChannel): Known {
    const found = this.#known.get(owned.channelId);
    if (found?.epoch !== owned.epoch) return this.#open(owned);
    if (found.stored !== owned.pacing) {
      found.stored = owned.pacing;
      if (found.pacing.update(owned.pacing, this.#now())) this.#options.onSooner(owned.channelId);
    }
    return found;
  }

  #open(owned: OwnedChannel): Known {
    const { epoch, pacing: stored } = owned;
    const options = { off: !this.#options.on, now: this.#now() };
    const pacing = new ChannelPacing(owned.transport.definition.pacing, stored, options);
    const notifiedAt = Number.NEGATIVE_INFINITY;
    const known: Known = { epoch, pacing, stored, line: undefined, reading: undefined, notifiedAt };
    this.#known.set(owned.channelId, known);
    return known;
  }

  #now(): number {
    return this.#core.clock.monotonicMs();
  }
}
