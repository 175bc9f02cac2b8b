import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import { sqlState } from "./failure.ts";
import { refuseStandby } from "./standby.ts";

export type NotificationHandler = (payload: string) => void;

export interface Listener {
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const CHECK_EVERY_MS = 15_000;
const QUERY_TIMEOUT_MS = 5_000;

/**
 * A dedicated connection for all `LISTEN`s. After a reconnect, every handler is called with "", because notifications
 * sent meanwhile are lost.
 */
export function createListener(config: ClientConfig, log: Log): Listener {
  const line = new NotificationLine(config, log);
  return {
    listen: (channel, handler) => line.listen(channel, handler),
    close: () => line.close(),
  };
}

class NotificationLine {
  readonly #config: ClientConfig;
  readonly #log: Log;
  readonly #handlers = new Map<string, Set<NotificationHandler>>();
  #connection: Promise<pg.Client> | undefined;
  /** The connection that is listening now; undefined while the server is unavailable. */
  #current: pg.Client | undefined;
  #isClosed = false;

  constructor(config: ClientConfig, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  async listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>> {
    const known = this.#handlers.get(channel);
    this.#handlers.set(channel, (known ?? new Set()).add(handler));
    await this.#listenOn(channel);
    return () => this.#unlisten(channel, handler);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#handlers.clear();
    const client = await this.#connection?.catch(() => undefined);
    await client?.end();
  }

  /**
   * Resolves when the server has confirmed. If the connection is lost meanwhile, the next one includes the channel.
   */
  async #listenOn(channel: string): Promise<void> {
    for (;;) {
      this.#connection ??= this.#connect(false);
      const client = await this.#connection;
      try {
        await client.query(`listen ${quoted(channel)}`);
        return;
      } catch (error) {
        if (this.#isClosed || sqlState(error) !== undefined) throw error;
        await client.end();
      }
    }
  }

  /** Does not wait for an unavailable server: the next connection listens only to the remaining channels. */
  async #unlisten(channel: string, handler: NotificationHandler): Promise<void> {
    const remaining = this.#handlers.get(channel);
    remaining?.delete(handler);
    if (remaining === undefined || remaining.size > 0) return;
    this.#handlers.delete(channel);
    if (!this.#isClosed) await this.#current?.query(`unlisten ${quoted(channel)}`).catch(() => {});
  }

  async #connect(isReconnect: boolean): Promise<pg.Client> {
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      if (this.#isClosed)
        throw new Error("The connections to PostgreSQL are closed: the program is stopping");
      try {
        const client = await this.#open();
        if (isReconnect) for (const channel of this.#handlers.keys()) this.#dispatch(channel, "");
        return client;
      } catch (error) {
        this.#log.debug({ reason: messageOf(error) }, "the connection for notifications could not be opened");
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#config, pipeline: true, query_timeout: QUERY_TIMEOUT_MS });
    client.on("error", () => {});
    client.on("notification", ({ channel, payload }) => this.#dispatch(channel, payload ?? ""));
    try {
      await client.connect();
      await refuseStandby(client, QUERY_TIMEOUT_MS);
      const channels = [...this.#handlers.keys()];
      await Promise.all(channels.map((channel) => client.query(`listen ${quoted(channel)}`)));
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.#watch(client);
    return client;
  }

  /** A half-open connection reports no error, so it is checked periodically. */
  #watch(client: pg.Client): void {
    this.#current = client;
    const check = setInterval(
      () => client.query("select 1").catch(() => client.end()),
      CHECK_EVERY_MS,
    ).unref();
    client.once("end", () => {
      clearInterval(check);
      if (this.#current === client) this.#current = undefined;
      if (this.#isClosed) return;
      this.#connection = this.#connect(true);
      this.#connection.catch(() => {});
    });
  }

  #dispatch(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) {
      try {
        handler(payload);
      } catch (error) {
        this.#log.error({ err: error, channel }, "a notification handler failed");
      }
    }
  }
}

function quoted(channel: string): string {
  return pg.escapeIdentifier(channel);
}
