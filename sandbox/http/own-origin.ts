import type { IncomingMessage } from "node:http";

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/;

/**
 * Whether a request may reach what has no password. A page of another site, open in the same browser, is told apart by
 * its `Origin`; and one whose own name was made to point here, by the name in `Host`, where only this machine is served.
 */
export function isOwnOrigin({ headers }: IncomingMessage, listensOnLoopback: boolean): boolean {
  const { host = "", origin } = headers;
  if (listensOnLoopback && host !== "" && !LOOPBACK.test(host)) return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);
}
