import { type BackOff, backOffMs } from "../../platform/queue/back-off.ts";

/** `lost`: there was no open connection, so WhatsApp was not asked. */
export type LogoutOutcome = "unlinked" | "refused" | "lost";

const NOT_CONNECTED_MS = 100;
const REFUSED: BackOff = { firstMs: 1_000, longestMs: 5 * 60_000 };

interface Leaving {
  /** Whether there is nothing to unlink any more. */
  isOver(): boolean;
  logout(): Promise<LogoutOutcome>;
  /** Rejects if the channel closes. */
  pause(ms: number): Promise<void>;
}

/** Repeats a logout until it succeeds: soon if there is no connection, ever more slowly if WhatsApp refuses. */
export async function leave({ isOver, logout, pause }: Leaving): Promise<void> {
  let refusals = 0;
  while (!isOver()) {
    const outcome = await logout();
    if (outcome === "unlinked") return;
    await pause(outcome === "refused" ? backOffMs(++refusals, REFUSED) : NOT_CONNECTED_MS);
  }
}
