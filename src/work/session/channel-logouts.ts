import { setTimeout as sleep } from "node:timers/promises";
import { releaseDeletedChannel } from "../../core/channel/credentials/vault.ts";
import type { ProxyColumns } from "../../core/channel/proxy/route.ts";
import type { Core } from "../../core/core.ts";
import { createLink } from "../../core/inbound/link.ts";
import { backOffMs } from "../../platform/queue/back-off.ts";
import type { Lease } from "../lease.ts";

/** A deleted channel that this node owns. */
export interface DeletedChannel {
  readonly accountId: number;
  readonly channelId: string;
  readonly epoch: number;
  readonly transport: string;
  readonly sealedCredentials: Buffer;
  readonly proxy: ProxyColumns;
  /** How much longer the logout may be retried; then the keys are deleted in any case. */
  readonly leftMs: number;
}

interface Logout {
  readonly epoch: number;
  readonly end: AbortController;
  readonly done: Promise<void>;
}

const ATTEMPT_LIMIT_MS = 60_000;
const PAUSES = { firstMs: 1_000, longestMs: 5 * 60_000 };

/**
 * Logs deleted channels out at their messengers and deletes their keys. An unreachable messenger is retried, by
 * whichever node owns the channel then, until it has responded or the time limit is reached.
 */
export class ChannelLogouts {
  readonly #core: Core;
  readonly #lease: () => Lease;
  readonly #letGo: (channelId: string) => Promise<boolean>;
  readonly #underWay = new Map<string, Logout>();

  /** `letGo` ends a channel's session, and resolves with whether the session ended its link in the messenger. */
  constructor(options: {
    core: Core;
    lease: () => Lease;
    letGo: (channelId: string) => Promise<boolean>;
  }) {
    this.#core = options.core;
    this.#lease = options.lease;
    this.#letGo = options.letGo;
  }

  /**
   * Takes over all deleted channels that this node owns now: starts with new ones, stops with those it lost. Does not
   * wait.
   */
  follow(channels: readonly DeletedChannel[]): void {
    const epochs = new Map(channels.map(({ channelId, epoch }) => [channelId, epoch]));
    for (const [id, { epoch, end }] of this.#underWay) if (epochs.get(id) !== epoch) end.abort();
    for (const channel of channels) if (!this.#underWay.has(channel.channelId)) this.#begin(channel);
  }

  /** Aborts all; the next owners of the channels continue. */
  async stop(): Promise<void> {
    const all = [...this.#underWay.values()];
    for (const { end } of all) end.abort();
    await Promise.all(all.map(({ done }) => done));
  }

  #begin(channel: DeletedChannel): void {
    const end = new AbortController();
    const done = this.#logOut(channel, end.signal)
      .catch((error: unknown) =>
        this.#core.log.debug(
          { err: error, channelId: channel.channelId },
          "a deleted channel was not logged out",
        ),
      )
      .finally(() => this.#underWay.delete(channel.channelId));
    this.#underWay.set(channel.channelId, { epoch: channel.epoch, end, done });
  }

  async #logOut(channel: DeletedChannel, signal: AbortSignal): Promise<void> {
    const until = this.#core.clock.monotonicMs() + channel.leftMs;
    let hasLeft = await this.#letGo(channel.channelId);
    for (let failures = 0; !hasLeft && !signal.aborted; failures += 1) {
      const leftMs = until - this.#core.clock.monotonicMs();
      if (leftMs <= 0) break;
      if (failures > 0)
        await sleep(Math.min(leftMs, backOffMs(failures, PAUSES)), undefined, { signal }).catch(
          () => undefined,
        );
      hasLeft = !signal.aborted && (await this.#ask(channel, signal));
    }
    if (signal.aborted) return;
    const { accountId, channelId, epoch } = channel;
    if (!hasLeft)
      this.#core.log.warn({ channelId }, "a deleted channel could not be logged out at its messenger");
    await releaseDeletedChannel(this.#core, { accountId, channelId, epoch }, this.#lease().nodeId);
  }

  /** Whether the messenger has no link of the channel left. */
  async #ask(channel: DeletedChannel, signal: AbortSignal): Promise<boolean> {
    const { accountId, channelId, epoch, sealedCredentials, proxy } = channel;
    const transport = this.#core.transports.get(channel.transport);
    const connector = transport?.connector;
    if (transport === undefined || connector?.leave === undefined) return true;
    const end = new AbortController();
    const link = createLink(this.#core, {
      key: { accountId, channelId, epoch, owner: this.#lease().nodeId },
      transport,
      sealedCredentials,
      proxy,
      signal: AbortSignal.any([signal, end.signal, AbortSignal.timeout(ATTEMPT_LIMIT_MS)]),
      maySend: () => this.#lease().isValid(),
      onLinkState: async () => undefined,
    });
    try {
      // Events are dropped: the channel is deleted.
      const silent: typeof link = Object.create(link, { emit: { value: async () => undefined } });
      await connector.leave(silent as Parameters<typeof connector.leave>[0]);
      return true;
    } catch (error) {
      if (!signal.aborted)
        link.log("warn", "the channel could not be logged out at its messenger yet", {
          error: String(error),
        });
      return false;
    } finally {
      end.abort();
    }
  }
}
