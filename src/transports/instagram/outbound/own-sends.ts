import { setTimeout as delay } from "node:timers/promises";
import { beforeSend } from "../../kit/failures.ts";
import { isJson, textIn } from "../../kit/json.ts";
import type { InstagramLink } from "../access.ts";

/**
 * Our sends to one person. Instagram reports each as an echo, often before it answers the send, so the state holds
 * the send in progress and the last sent ids.
 */
interface Sends {
  /** When the send in progress began, in ms since 1970; absent if there is none. */
  readonly pendingAt?: number;
  readonly mids: readonly string[];
}

const MAX_SENT_IDS = 20;
/** A send that takes longer is considered failed. */
const PENDING_MS = 60_000;
const POLL_MS = 100;
const MAX_WAIT_MS = 8_000;
const key = (igsid: string): string => `sends:${igsid}`;

type StateLink = Pick<InstagramLink, "state" | "signal">;

async function sendsTo({ state }: StateLink, igsid: string): Promise<Sends> {
  const stored: unknown = JSON.parse((await state.get(key(igsid))) ?? "null");
  const mids = isJson(stored) && Array.isArray(stored["mids"]) ? stored["mids"].map(String) : [];
  const pendingAt = Number(textIn(stored, "pendingAt"));
  return Number.isFinite(pendingAt) ? { pendingAt, mids } : { mids };
}

/**
 * Runs a send and records its id. Sends to one person must not overlap. If the state cannot be written, nothing is sent:
 * then throws a `TransportError` that allows a repetition.
 */
export async function trackSend<T extends { readonly externalId: string }>(
  link: StateLink,
  igsid: string,
  send: () => Promise<T>,
): Promise<T> {
  const { mids } = await beforeSend(sendsTo(link, igsid));
  await beforeSend(link.state.set(key(igsid), JSON.stringify({ pendingAt: Date.now(), mids })));
  let sent: T | undefined;
  try {
    sent = await send();
    return sent;
  } finally {
    const all = sent === undefined ? mids : [...mids, sent.externalId].slice(-MAX_SENT_IDS);
    // A failure to store the id must not change the outcome of the send.
    await link.state.set(key(igsid), JSON.stringify({ mids: all })).catch(() => undefined);
  }
}

/** Whether an echo is of one of our messages. Waits for a send in progress to settle. */
export async function isOurs(link: StateLink, igsid: string, mid: string): Promise<boolean> {
  const until = Date.now() + MAX_WAIT_MS;
  while (true) {
    const { pendingAt, mids } = await sendsTo(link, igsid);
    if (mids.includes(mid)) return true;
    const isPending = pendingAt !== undefined && Date.now() - pendingAt < PENDING_MS;
    if (!isPending || Date.now() > until || link.signal.aborted) return false;
    await delay(POLL_MS);
  }
}
