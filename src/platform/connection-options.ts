import type { Agent } from "undici";

/**
 * Options of every outgoing connection. Idle ones are given up sooner than servers do (undici also honours what
 * a server announces, less two seconds), so that a request seldom meets a connection that is being closed.
 */
export const CONNECTION_OPTIONS: Agent.Options = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
};

export const CONNECT_TIMEOUT_MS = 10_000;
