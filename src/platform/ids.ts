import { createHash, randomBytes, randomUUID } from "node:crypto";

/**
 * A new uuid. It has the format of version 4, as the interface promises, but starts with the Unix time in
 * milliseconds (48 bits), so that primary keys grow at one end. A counter of 12 bits follows, so that the ids of a process
 * grow in the order of the calls; 62 bits are random.
 */
export function newId(): string {
  const now = Date.now();
  // After a small step back of the clock the order still holds.
  if (now > last.ms || now < last.ms - MAX_STEP_BACK_MS) last = { ms: now, count: 0 };
  else if (last.count < MAX_COUNT) last.count += 1;
  else last = { ms: last.ms + 1, count: 0 };
  return `${timePrefix(last.ms)}-4${last.count.toString(16).padStart(3, "0")}${randomUUID().slice(RANDOM_FROM)}`;
}

const MAX_COUNT = 0xfff;
const MAX_STEP_BACK_MS = 1_000;
/** Where the digits behind the version and the counter start, including a dash. */
const RANDOM_FROM = 18;
let last = { ms: -1, count: 0 };
let prefix = { ms: -1, text: "" };

function timePrefix(ms: number): string {
  if (prefix.ms !== ms) {
    const time = ms.toString(16).padStart(12, "0");
    prefix = { ms, text: `${time.slice(0, 8)}-${time.slice(8)}` };
  }
  return prefix.text;
}

/** Source of a regular expression. */
export const UUID_PATTERN = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const UUID = new RegExp(`^${UUID_PATTERN}$`, "i");

/** Whether the text is a uuid in a form that PostgreSQL accepts, in upper or lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A lower bound for all ids created at this time (Unix milliseconds) or later. */
export function firstIdAt(ms: number): string {
  return `${timePrefix(Math.max(0, Math.min(Math.floor(ms), 2 ** 48 - 1)))}-0000-0000-000000000000`;
}

/** SQL of `firstIdAt` for a `timestamptz` that is SQL as well. */
export function firstIdAtSql(time: string): string {
  return `(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
}

/**
 * The same parts give the same id within an hour, of which there is only one (`hourIdSql`): ids are then made again with
 * the same result after the first was lost, and still start with their time, to the hour. The last 20 digits.
 */
export function hourIdDigits(...parts: readonly string[]): string {
  return derivedId(...parts)
    .replaceAll("-", "")
    .slice(12);
}

/** SQL of the id of the current hour with these last 20 digits, by the clock of the database. */
export function hourIdSql(digits: string): string {
  const hour = "date_trunc('hour', now(), 'UTC')";
  return `(lpad(to_hex((extract(epoch from ${hour}) * 1000)::bigint), 12, '0') || ${digits})::uuid`;
}

/** How much earlier than the time of their storing ids may start. */
export const ID_LAG_MS = 3_600_000;

/** A deterministic uuid of the parts, for idempotent operations. */
export function derivedId(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  // Includes the lengths, so that ("ab", "c") and ("a", "bc") differ.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return formatUuid4(hash.digest().subarray(0, 16));
}

/**
 * A deterministic uuid of the parts that starts with a time (Unix milliseconds), as those of `newId` do: of a message that
 * was written before it was stored here.
 */
export function derivedIdAt(ms: number, ...parts: readonly string[]): string {
  return firstIdAt(ms).slice(0, DERIVED_FROM) + derivedId(...parts).slice(DERIVED_FROM);
}

/** Where the digits behind the time start, with the version. */
const DERIVED_FROM = 14;

/** An unguessable base64url string of this many random bytes. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString("base64url");
}

function formatUuid4(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
