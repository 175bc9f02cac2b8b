import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import { sqlState } from "./failure.ts";

export type NotificationHandler = (payload: string) => void;

export interface Listener {
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const CHECK_EVERY_MS = 15_000;

/**
 * A dedicated connection for all `LISTEN`s. After a reconnect, every handler is called with "", because notifications
 * sent meanwhile are lost.
 */
export function createListener(config: ClientConfig, log: Log): Listener {
  const handlers = new Map<string, Set<NotificationHandler>>();
  let connection: Promise<pg.Client> | undefined;
  /** The connection that is listening now; undefined while the server is unavailable. */
  let current: pg.Client | undefined;
  let closed = false;

  async function connect(isReconnect: boolean): Promise<pg.Client> {
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      if (closed) throw new Error("The connections to PostgreSQL are closed: the program is stopping");
      try {
        const client = await open();
        if (isReconnect) for (const channel of handlers.keys()) dispatch(channel, "");
        return client;
      } catch (error) {
        log.debug({ reason: messageOf(error) }, "the connection for notifications could not be opened");
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }

  async function open(): Promise<pg.Client> {
    const client = new pg.Client({ ...config, pipeline: true, query_timeout: 5_000 });
    client.on("error", () => {});
    client.on("notification", ({ channel, payload }) => dispatch(channel, payload ?? ""));
    try {
      await client.connect();
      await Promise.all([...handlers.keys()].map((channel) => client.query(`listen ${quoted(channel)}`)));
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    watch(client);
    return client;
  }

  /** A half-open connection reports no error, so it is checked periodically. */
  function watch(client: pg.Client): void {
    current = client;
    const check = setInterval(
      () => client.query("select 1").catch(() => client.end()),
      CHECK_EVERY_MS,
    ).unref();
    client.once("end", () => {
      clearInterval(check);
      if (current === client) current = undefined;
      if (closed) return;
      connection = connect(true);
      connection.catch(() => {});
    });
  }

  function dispatch(channel: string, payload: string): void {
    for (const handler of handlers.get(channel) ?? []) {
      try {
        handler(payload);
      } catch (error) {
        log.error({ err: error, channel }, "a notification handler failed");
      }
    }
  }

  /** Does not wait for an unavailable server: the next connection listens only to the remaining channels. */
  async function unlisten(channel: string, handler: NotificationHandler): Promise<void> {
    const remaining = handlers.get(channel);
    remaining?.delete(handler);
    if (remaining === undefined || remaining.size > 0) return;
    handlers.delete(channel);
    if (!closed) await current?.query(`unlisten ${quoted(channel)}`).catch(() => {});
  }

  return {
    async listen(channel, handler) {
      const known = handlers.get(channel);
      handlers.set(channel, (known ?? new Set()).add(handler));
      await listenOn(channel);
      return () => unlisten(channel, handler);
    },
    async close() {
      closed = true;
      handlers.clear();
      const client = await connection?.catch(() => undefined);
      await client?.end();
    },
  };

  /**
   * Resolves when the server has confirmed. If the connection is lost meanwhile, the next one includes the channel.
   */
  async function listenOn(channel: string): Promise<void> {
    for (;;) {
      connection ??= connect(false);
      const client = await connection;
      try {
        await client.query(`listen ${quoted(channel)}`);
        return;
      } catch (error) {
        if (closed || sqlState(error) !== undefined) throw error;
        await client.end();
      }
    }
  }
}

function quoted(channel: string): string {
  return pg.escapeIdentifier(channel);
}
