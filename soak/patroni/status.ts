import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";

/** A member as it describes itself, from its own PostgreSQL. */
export interface MemberStatus {
  /** "master" (releases before 4), "primary" or "replica". */
  readonly role?: string;
  readonly state?: string;
  readonly timeline?: number;
  /** The standbys of a primary. */
  readonly replication?: readonly { readonly state: string; readonly sync_state: string }[];
}

const ANSWER_MS = 3_000;
const LOOK_EVERY_MS = 250;
const PORT = 8008;

/** Null without an answer, or while its PostgreSQL does not run. */
export async function statusAt(address: string): Promise<MemberStatus | null> {
  return (await ask(address, "/patroni")) as MemberStatus | null;
}

/** Whether this member holds the leader key and serves as the primary. */
export async function isPrimary(address: string): Promise<boolean> {
  return (await ask(address, "/primary")) !== null;
}

/** Whether this member is the synchronous standby; any standby if there is to be none. */
export async function isStandby(address: string, isSynchronous: boolean): Promise<boolean> {
  return (await ask(address, isSynchronous ? "/synchronous" : "/replica")) !== null;
}

async function ask(address: string, path: string): Promise<unknown> {
  try {
    const answer = await request(`http://${address}:${PORT}${path}`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await answer.body.text();
    return answer.statusCode === 200 ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Throws unless Patroni has switched over, or refused for a reason that may pass (412, 503). Returns whether it has. */
export async function switchOver(
  address: string,
  { leader, candidate, password }: { leader: string; candidate: string; password: string },
): Promise<boolean> {
  const answer = await request(`http://${address}:${PORT}/switchover`, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`patroni:${password}`).toString("base64")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ leader, candidate }),
  });
  const text = await answer.body.text();
  if (answer.statusCode === 200) return true;
  if (answer.statusCode === 412 || answer.statusCode === 503) return false;
  throw new Error(`Patroni refused the switchover: ${answer.statusCode} ${text}`);
}

export function isLeader({ role }: MemberStatus): boolean {
  return role === "master" || role === "primary";
}

/**
 * Whether there is one primary, and all others are its standbys, one of them a synchronous one if there is to be one.
 * Pure.
 */
export function isWhole(
  status: readonly (MemberStatus | null)[],
  { isSynchronous }: { readonly isSynchronous: boolean },
): boolean {
  const known = status.filter((member) => member !== null);
  const [leader, ...more] = known.filter(isLeader);
  if (leader === undefined || more.length > 0 || known.length !== status.length) return false;
  const standbys = (leader.replication ?? []).filter(({ state }) => state === "streaming");
  const synchronous = standbys.filter(({ sync_state }) => sync_state !== "async").length;
  return (
    // Releases from 3.0.3 on say "streaming" of a standby.
    known.every(({ state }) => state === "running" || state === "streaming") &&
    known.every(({ timeline }) => timeline === leader.timeline) &&
    standbys.length === status.length - 1 &&
    synchronous === (isSynchronous ? 1 : 0)
  );
}

/** Resolves with the first answer that is not null. Throws after `limitMs`. */
export async function until<T>(what: string, limitMs: number, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`${what} took longer than ${limitMs / 1_000} s`);
    await sleep(LOOK_EVERY_MS);
  }
}
