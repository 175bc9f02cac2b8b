import type { tl } from "@mtcute/core";
import { backOffMs } from "../../../platform/queue/back-off.ts";
import type { Client } from "../library/client.ts";
import type { DifferenceParts } from "../library/differences.ts";
import type { TgapiLink } from "../link.ts";
import type { PeerBook } from "../people/peer-book.ts";
import type { Timing } from "../timing.ts";
import type { Places } from "./places.ts";
import type { Receiver } from "./receiver.ts";
import { recoverHistory, recoverSupergroup } from "./recovery.ts";

/** As multiples of the first pause between attempts to connect. */
const FIRST_PAUSE = 2;
const LONGEST_PAUSE = 60;

export interface CatchUpParts {
  readonly link: Pick<TgapiLink, "log">;
  readonly timing: Timing;
  readonly book: PeerBook;
  readonly places: Places;
  readonly receiver: Receiver;
  readonly signal: AbortSignal;
  /** Null until it is created. */
  client(): Client | null;
  isConnected(): boolean;
  pause(ms: number): Promise<void>;
}

/**
 * Fetches missed updates until it succeeds. The library tries once; after a failure it would continue with the next
 * update, and fetch what is missing only then.
 */
export class CatchUp {
  readonly #parts: CatchUpParts;
  #failures = 0;
  #isWaiting = false;
  #isFine = false;
  #hasConnected = false;
  /** Supergroups whose missed updates are still to be fetched. */
  readonly #supergroups = new Set<number>();

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** Whether the last request for the account's missed updates succeeded. */
  get isFine(): boolean {
    return this.#isFine;
  }

  /** The library itself asks after its start, and later only if it notices a gap. */
  connected(): void {
    if (this.#hasConnected) this.#ask();
    this.#hasConnected = true;
  }

  /** Asks again after a while. Without a connection nothing is asked: `connected` does it. */
  later(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#failures++;
    const { pause, isConnected, timing } = this.#parts;
    const { firstPauseMs } = timing;
    const pauses = { firstMs: firstPauseMs * FIRST_PAUSE, longestMs: firstPauseMs * LONGEST_PAUSE };
    pause(backOffMs(this.#failures, pauses)).then(
      () => {
        this.#isWaiting = false;
        if (isConnected()) this.#ask();
      },
      () => undefined,
    );
  }

  readonly differences: Omit<DifferenceParts, "callMs"> = {
    tooLong: () => this.#recover(),
    channelTooLong: (channelId) => this.#recoverSupergroup(channelId),
    fetched: (isFine) => {
      this.#isFine = isFine;
      if (isFine) this.#failures = 0;
      else this.later();
    },
    channelFailed: (channelId) => {
      this.#supergroups.add(channelId);
      this.later();
    },
  };

  #ask(): void {
    const client = this.#parts.client();
    const updates = [...this.#supergroups].map(
      (channelId): tl.TypeUpdate => ({ _: "updateChannelTooLong", channelId }),
    );
    this.#supergroups.clear();
    client?.updates?.catchUp();
    if (updates.length > 0)
      client?.handleClientUpdate({ _: "updates", seq: 0, date: 0, chats: [], users: [], updates }, false);
  }

  /** Fetches the messages from the chats. The supergroups that changed are named only by the next difference. */
  async #recover(): Promise<void> {
    const { link, book, places, receiver } = this.#parts;
    const line = this.#line();
    if (line === null) return;
    const known = { newestId: await places.newest(), since: sinceOf(line.client) };
    const found = await recoverHistory(line, { receiver, book }, known);
    link.log("warn", "Telegram no longer has all updates that were missed", { found });
    line.client.handleClientUpdate({ _: "updatesTooLong" }, false);
  }

  async #recoverSupergroup(channelId: number): Promise<void> {
    const { link, book, places, receiver } = this.#parts;
    const line = this.#line();
    if (line === null) return;
    const known = { newestId: await places.newestOf(channelId), since: sinceOf(line.client) };
    const found = await recoverSupergroup(line, { receiver, book }, channelId, known);
    link.log("warn", "Telegram no longer has all updates of a supergroup that were missed", { found });
  }

  #line() {
    const client = this.#parts.client();
    const { timing, signal } = this.#parts;
    return client === null ? null : { client, callMs: timing.callMs, signal };
  }
}

/** When the account's updates were complete: before anything that is missing now. */
function sinceOf(client: Client): number {
  return client.updates?.date ?? Math.floor(Date.now() / 1_000);
}
