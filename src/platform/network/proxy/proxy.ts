import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { type AddressCheck, type AllowNetworks, createAddressCheck } from "../networks.ts";

export const PROXY_SCHEMES = ["socks5", "http", "https", "mtproxy"] as const;
export type ProxyScheme = (typeof PROXY_SCHEMES)[number];

/** A proxy as written in its URL: `socks5://user:password@host:port`; `mtproxy://secret@host:port`. */
export interface ParsedProxy {
  readonly scheme: ProxyScheme;
  /** A name or a literal address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** "" if there is none; the secret of an MTProxy. */
  readonly username: string;
  readonly password: string;
}

/** The proxy of a channel. Plain data, so that it can be passed to worker processes. */
export interface ProxyRoute {
  /** In the form of `parseProxy`; contains the password. */
  readonly url: string;
  /**
   * The private networks that the proxy may be in, besides the public internet: for proxies named by tenants. Null: any
   * address, for those of the operator.
   */
  readonly allowNetworks: AllowNetworks | null;
}

const DEFAULT_PORTS: Readonly<Record<ProxyScheme, number | null>> = {
  socks5: 1080,
  http: 80,
  https: 443,
  mtproxy: null,
};
/** RFC 1929 has one byte for each length. */
const MAX_CREDENTIAL_BYTES = 255;

/** Null if the text is not the URL of a proxy. */
export function parseProxy(text: string): ParsedProxy | null {
  const [, name = "", rest = ""] = /^([a-z0-9]+):\/\/([^\s]+)$/i.exec(text.trim()) ?? [];
  const scheme = PROXY_SCHEMES.find((each) => each === name.toLowerCase());
  // Parsed as an HTTP URL: other schemes do not normalise the host.
  const url = scheme === undefined ? null : URL.parse(`http://${rest}`);
  if (scheme === undefined || url === null || url.hostname === "") return null;
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return null;
  const explicit = /:(\d+)\/?$/.exec(rest)?.[1];
  const port = explicit === undefined ? DEFAULT_PORTS[scheme] : Number(explicit);
  const credentials = [decoded(url.username), decoded(url.password)];
  const [username, password] = credentials;
  if (port === null || port < 1 || port > 65_535 || username == null || password == null) return null;
  if (credentials.some((each) => Buffer.byteLength(each ?? "") > MAX_CREDENTIAL_BYTES)) return null;
  // RFC 1929 has no empty user name.
  if (username === "" && password !== "") return null;
  if (scheme === "mtproxy" && (!isMtproxySecret(username) || password !== "")) return null;
  return { scheme, host: url.hostname.replace(/^\[|\]$/g, ""), port, username, password };
}

/** 16 bytes, or 17 and more with a prefix (`dd`: padding, `ee`: looks like TLS), in hex or base64. */
function isMtproxySecret(text: string): boolean {
  const bytes = Buffer.from(text, /^[0-9a-f]+$/i.test(text) ? "hex" : "base64url");
  if (bytes.length === 16) return true;
  return (bytes.length === 17 && bytes[0] === 0xdd) || (bytes.length >= 18 && bytes[0] === 0xee);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Scheme, host and port, without user name and password. Throws if it is not the URL of a proxy. */
export function shownProxy(url: string): string {
  const { scheme, host, port } = proxyOf(url);
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Identifies an exit: it stays the same when its password changes. */
export function exitKey(url: string): string {
  const { scheme, username, host, port } = proxyOf(url);
  return createHash("sha256")
    .update(JSON.stringify([scheme, username, host, port]))
    .digest("hex")
    .slice(0, 16);
}

/** The parsed proxy of a stored or configured URL. Throws if it is not one. */
export function proxyOf(url: string): ParsedProxy {
  const proxy = parseProxy(url);
  if (proxy === null) throw new Error("This is not the URL of a proxy");
  return proxy;
}

/**
 * The exit of a channel in a pool: the stored one if it still belongs to the pool, else one that follows from the
 * channel's id, so that all nodes choose the same. Throws if the pool is empty.
 */
export function pickExit(pool: readonly string[], channelId: string, stored: string | null): string {
  const kept = stored === null ? undefined : pool.find((url) => exitKey(url) === stored);
  if (kept !== undefined) return kept;
  const ranked = pool.map((url) => ({
    url,
    rank: createHash("sha256")
      .update(`${channelId} ${exitKey(url)}`)
      .digest("hex"),
  }));
  const [first] = ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  if (first === undefined) throw new Error("The pool of proxies is empty");
  return first.url;
}

/** Names that lead to the proxy itself or to its own network. */
const INSIDE = /^[^.]*$|(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)\.?$/i;

/**
 * Whether a host may be asked for behind a proxy. Names are resolved there, so only literal addresses and names of local
 * networks can be refused here.
 */
export function createTargetCheck(allowNetworks: AllowNetworks): AddressCheck {
  const isAllowed = createAddressCheck(allowNetworks);
  return (host, port) => (isIP(host) === 0 ? !INSIDE.test(host) : isAllowed(host, port));
}
