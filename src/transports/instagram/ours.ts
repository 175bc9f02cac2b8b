import { setTimeout as delay } from "node:timers/promises";
import { isJson, textIn } from "../kit/json.ts";
import type { InstagramLink } from "./access.ts";

/** Instagram repeats what we send as an echo, often before it answers: what is under way and what was sent last. */
interface Sends {
  /** When a send began that has no answer yet, in ms. */
  readonly pendingAt?: number;
  readonly mids: readonly string[];
}

const KEPT = 20;
/** A send that takes longer has failed. */
const PENDING_MS = 60_000;
const ASK_MS = 100;
const PATIENCE_MS = 8_000;
const key = (igsid: string): string => `sends:${igsid}`;

type StateLink = Pick<InstagramLink, "state" | "signal">;

async function sendsTo({ state }: StateLink, igsid: string): Promise<Sends> {
  const stored: unknown = JSON.parse((await state.get(key(igsid))) ?? "null");
  const mids = isJson(stored) && Array.isArray(stored["mids"]) ? stored["mids"].map(String) : [];
  const pendingAt = Number(textIn(stored, "pendingAt"));
  return Number.isFinite(pendingAt) ? { pendingAt, mids } : { mids };
}

/** Sends to one person are one after the other. */
export async function noting<T extends { readonly externalId: string }>(
  link: StateLink,
  igsid: string,
  send: () => Promise<T>,
): Promise<T> {
  const { mids } = await sendsTo(link, igsid);
  await link.state.set(key(igsid), JSON.stringify({ pendingAt: Date.now(), mids }));
  let sent: T | undefined;
  try {
    sent = await send();
    return sent;
  } finally {
    const all = sent === undefined ? mids : [...mids, sent.externalId].slice(-KEPT);
    // The message is sent, or not: what goes wrong here must not change that.
    await link.state.set(key(igsid), JSON.stringify({ mids: all })).catch(() => undefined);
  }
}

/** Whether an echo is of a message of ours. Waits for the answer to a send that is under way. */
export async function isOurs(link: StateLink, igsid: string, mid: string): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS;
  while (true) {
    const { pendingAt, mids } = await sendsTo(link, igsid);
    if (mids.includes(mid)) return true;
    const isPending = pendingAt !== undefined && Date.now() - pendingAt < PENDING_MS;
    if (!isPending || Date.now() > until || link.signal.aborted) return false;
    await delay(ASK_MS);
  }
}
