/** Parsers of single values; each throws an Error that states what was expected. */

export function text(value: string): string {
  return value;
}

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  };
}

export function oneOf<const T extends string>(...allowed: readonly T[]): (value: string) => T {
  return (value) => {
    const found = allowed.find((one) => one === value.toLowerCase());
    if (found === undefined) throw new Error(`must be one of ${allowed.join(", ")}`);
    return found;
  };
}

/** Parses "on" and "off" in common spellings. */
export function flag(value: string): boolean {
  if (/^(1|on|true|yes)$/i.test(value)) return true;
  if (/^(0|off|false|no)$/i.test(value)) return false;
  throw new Error("must be 1 or 0 (or on and off)");
}

/** Splits at commas and whitespace. */
export function list(value: string): string[] {
  return value.split(/[\s,]+/).filter((part) => part !== "");
}

export function listOf<const T extends string>(...allowed: readonly T[]): (value: string) => readonly T[] {
  const read = oneOf(...allowed);
  return (value) => {
    const parts = [...new Set(list(value).map(read))];
    if (parts.length === 0) throw new Error(`must name at least one of ${allowed.join(", ")}`);
    return parts;
  };
}

/** An http or https URL, without a trailing slash. */
export function httpUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https URL");
  if (url.search !== "" || url.hash !== "") throw new Error("must have no query and no fragment");
  return url.href.replace(/\/+$/, "");
}

/** An address to listen on. Port 0 selects a free port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:9090`, `[::1]:9090`, or only a port, which is on 127.0.0.1. */
export function listenAddress(value: string): ListenAddress {
  const [, ipv6, name = "127.0.0.1", digits] =
    /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(value) ?? [];
  if (digits === undefined || Number(digits) > 65_535)
    throw new Error("must be an address such as 127.0.0.1:9090");
  return { host: ipv6 ?? name, port: Number(digits) };
}

const POSTGRES_EXAMPLE = "postgres://user:password@host:5432/database";

export function postgresUrl(value: string): string {
  const url = URL.parse(value);
  if (url !== null && !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error(`must look like ${POSTGRES_EXAMPLE}`);
  // A "/", "#", "?" or "@" of a password ends the host, and a "%" begins a code.
  const { username = "", password = "" } = url ?? {};
  const isTorn = url === null || (url.pathname + url.search + url.hash).includes("@");
  if (isTorn || !isEncoded(username) || !isEncoded(password))
    throw new Error(
      `must look like ${POSTGRES_EXAMPLE}; special characters of user and password are percent-encoded, such as %23 for # and %40 for @`,
    );
  return value;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses "3d" to milliseconds. */
export function duration(value: string): number {
  const [only, ...more] = durations(value);
  if (only === undefined || only === 0 || more.length > 0)
    throw new Error("must be a duration such as 12h or 3d");
  return only;
}

/** Parses "5s, 2m, 1h" to milliseconds. */
export function durations(value: string): readonly number[] {
  const found = list(value).map((part) => {
    const [, number, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(part) ?? [];
    return Number(number) * (UNIT_MS[unit ?? ""] ?? Number.NaN);
  });
  if (found.length === 0 || found.some(Number.isNaN)) throw new Error("must be delays such as 5s,30s,2m,1h");
  return found;
}
