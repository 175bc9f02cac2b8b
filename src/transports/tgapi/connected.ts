import { setTimeout as sleep } from "node:timers/promises";
import type { tl } from "@mtcute/core";
import type { Vault } from "../../core/transport/connector.ts";
import type { ChannelProfile, LinkState } from "../../core/transport/events.ts";
import { settleWithin } from "../kit/settle-within.ts";
import { endOf, notConnected, refusalIn } from "./errors.ts";
import { CatchUp } from "./inbound/catch-up.ts";
import { HistoryImport } from "./inbound/history.ts";
import type { Places } from "./inbound/places.ts";
import { Receiver } from "./inbound/receiver.ts";
import { type Client, createClient } from "./library/client.ts";
import { VaultStorage } from "./library/vault-storage.ts";
import { ask, type Line } from "./line.ts";
import type { TgapiLink } from "./link.ts";
import type { Sends } from "./outbound/sends.ts";
import type { PeerBook } from "./people/peer-book.ts";
import { profileOf } from "./people/profile.ts";
import type { Timing } from "./timing.ts";

/**
 * Why a session has ended. `keyRefused`: Telegram did not know the key, which may be a server fault. `broken`: the
 * library lost an update, which Telegram repeats from the last stored position.
 */
export type Ended = "unauthorized" | "openelsewhere" | "keyRefused" | "broken" | "closed";

export interface ConnectedParts {
  readonly link: TgapiLink;
  readonly timing: Timing;
  /** The vault and the stores below retry until they succeed. */
  readonly vault: Vault;
  readonly book: PeerBook;
  readonly places: Places;
  readonly sends: Sends;
  readonly selfId: string;
  readonly firstDc: number;
  readonly signal: AbortSignal;
  tell(state: LinkState): Promise<void>;
}

/** A linked account with its connections to Telegram, across reconnects, until it ends. */
export class Connected {
  readonly #parts: ConnectedParts;
  readonly #over = new AbortController();
  readonly #end = Promise.withResolvers<Ended>();
  #client: Client | null = null;
  #receiver: Receiver | null = null;
  #catchUp: CatchUp | null = null;
  #history: HistoryImport | null = null;
  /** Belongs to the current connection. */
  #dropped = new AbortController();
  #lost = new AbortController();
  #isUsable = false;
  #isCaughtUp = false;
  /** When it became active first, by `performance.now()`; null: it has not. */
  activeAt: number | null = null;

  constructor(parts: ConnectedParts) {
    this.#parts = parts;
  }

  async run(): Promise<Ended> {
    const { signal } = this.#parts;
    const stop = (): void => this.#finish("closed");
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const starting = this.#start().catch((error: unknown) => this.#end.reject(error));
      const ended = await this.#end.promise;
      await settleWithin(starting, 1_000);
      return ended;
    } finally {
      signal.removeEventListener("abort", stop);
      await this.#close();
    }
  }

  /** Null if there is no connection, or missed updates are still being fetched. */
  line(): Line | null {
    const [client, receiver] = [this.#client, this.#receiver];
    if (client === null || receiver === null || !this.#isUsable || !this.#isCaughtUp) return null;
    if (this.#over.signal.aborted) return null;
    const { link, book, places, sends, timing, selfId } = this.#parts;
    const { callMs } = timing;
    const [{ signal }, { signal: dropped }, { signal: lost }] = [this.#over, this.#dropped, this.#lost];
    return { client, link, book, places, sends, receiver, selfId, callMs, signal, dropped, lost };
  }

  /** Ends the session on Telegram. Throws if that is not certain. */
  async logOut(signal: AbortSignal): Promise<void> {
    const client = this.#client;
    if (client === null || !this.#isUsable) throw notConnected();
    try {
      const { callMs } = this.#parts.timing;
      await ask({ client, callMs, signal: this.#over.signal }, { _: "auth.logOut" }, signal);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === null || endOf(refusal) === null) throw error;
    }
  }

  async #start(): Promise<void> {
    const { link, timing, vault, book, places, sends, selfId, firstDc } = this.#parts;
    const { signal } = this.#over;
    const pause = (ms: number): Promise<void> => pauseFor(ms, signal);
    const receiver = new Receiver({ link, book, places, sends, selfId, signal, pause });
    this.#receiver = receiver;
    const catchUp = new CatchUp({
      ...{ link, timing, book, places, receiver, signal, pause },
      client: () => this.#client,
      isConnected: () => this.#isUsable,
    });
    this.#catchUp = catchUp;
    this.#history = new HistoryImport({
      ...{ link: { ...link, vault }, timing, book, signal, pause },
      client: () => (this.#isUsable ? this.#client : null),
      read: (message) => receiver.fromHistory(message),
      flush: () => places.flush(),
    });
    const storage = await VaultStorage.load({
      vault,
      isLinked: true,
      firstDc,
      received: () => receiver.settled(),
      keyRefused: () => this.#finish("keyRefused"),
    });
    const client = createClient({
      link,
      timing,
      storage,
      book,
      socket: {
        permitConnect: () => link.permitConnect(),
        mayWrite: () => link.mayAct() && !signal.aborted,
        signal,
      },
      broken: (detail) => {
        link.log("warn", "Telegram: an update could not be handled; it is requested again", { detail });
        this.#finish("broken");
      },
      ended: (reason, refusal) => {
        link.log("info", "Telegram has ended the session", { detail: refusal.text });
        this.#finish(reason);
      },
      differences: catchUp.differences,
    });
    this.#client = client;
    this.#listen(client, receiver);
    await client.connect();
    // The library looks positions up only while it catches up, and would not notice a gap later.
    for (const [channelId, pts] of storage.channelPositions()) client.updates?.cpts.set(channelId, pts);
    await client.startUpdatesLoop();
  }

  #listen(client: Client, receiver: Receiver): void {
    const { link } = this.#parts;
    client.onRawUpdate.add(({ update }) => receiver.take(update));
    client.onError.add((error) => {
      if (!this.#over.signal.aborted)
        link.log("info", "Telegram: connection error", { error: String(error) });
    });
    client.mt.onUsable.add(() => this.#connected());
    client.mt.onConnecting.add(() => this.#disconnected());
    client.updates?.onCatchingUp((isCatchingUp) => {
      if (!isCatchingUp) void this.#caughtUp(client);
    });
  }

  #connected(): void {
    this.#isUsable = true;
    this.#catchUp?.connected();
  }

  #disconnected(): void {
    const was = this.#isUsable;
    this.#isUsable = false;
    this.#isCaughtUp = false;
    this.#lost.abort(new Error("The connection was lost"));
    this.#lost = new AbortController();
    if (was && this.activeAt !== null && !this.#over.signal.aborted)
      this.#parts
        .tell({ status: "lost", detail: "The connection to Telegram was lost" })
        .catch(() => undefined);
  }

  async #caughtUp(client: Client): Promise<void> {
    const { link } = this.#parts;
    const { signal } = this.#over;
    try {
      if (!this.#catchUp?.isFine || !this.#isUsable || this.#isCaughtUp) return;
      const profile = await this.#fetchProfile(client);
      this.#isCaughtUp = true;
      if (this.activeAt !== null) this.#giveUpLater();
      this.activeAt ??= performance.now();
      await this.#parts.tell({ status: "active", profile });
      void this.#history?.run();
    } catch (error) {
      if (signal.aborted) return;
      link.log("info", "Telegram: the account could not be fetched", { error: String(error) });
      this.#catchUp?.later();
    }
  }

  /**
   * The library does not always repeat requests that were lost with a connection, so their callers fail and retry.
   */
  #giveUpLater(): void {
    const before = this.#dropped;
    this.#dropped = new AbortController();
    pauseFor(this.#parts.timing.lostMs, this.#over.signal).then(
      () => before.abort(new Error("The connection was lost")),
      () => undefined,
    );
  }

  async #fetchProfile(client: Client): Promise<ChannelProfile> {
    const { timing, selfId } = this.#parts;
    const { signal } = this.#over;
    const id: tl.TypeInputUser[] = [{ _: "inputUserSelf" }];
    const line = { client, callMs: timing.callMs, signal };
    const [self] = await ask(line, { _: "users.getUsers", id }, signal);
    return profileOf(self, selfId);
  }

  #finish(ended: Ended): void {
    this.#end.resolve(ended);
  }

  async #close(): Promise<void> {
    const client = this.#client;
    client?.updates?.stopLoop();
    this.#over.abort(new Error("The session is closed"));
    if (client !== null) await settleWithin(client.destroy(), 2_000);
  }
}

/** Rejects when the signal aborts. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
