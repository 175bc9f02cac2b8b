import type { Agent } from "undici";

/**
 * Options of every outgoing connection. Idle connections are closed sooner than servers close them (undici also
 * honours the server's keep-alive timeout, less two seconds), so that a request rarely meets a closing connection.
 */
export const CONNECTION_OPTIONS: Agent.Options = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
};

export const CONNECT_TIMEOUT_MS = 10_000;
