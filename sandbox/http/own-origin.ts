import type { IncomingMessage } from "node:http";

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/;

/**
 * Whether a request may access an API without a password. A page of another site in the same browser is rejected by
 * its `Origin`; and, if only loopback is served, a page whose own host name resolves to this machine by its `Host`.
 */
export function isOwnOrigin({ headers }: IncomingMessage, listensOnLoopback: boolean): boolean {
  const { host = "", origin } = headers;
  if (listensOnLoopback && host !== "" && !LOOPBACK.test(host)) return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);
}
