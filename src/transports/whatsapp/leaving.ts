import type { WASocket } from "baileys";
import { type BackOff, backOffMs } from "../../platform/queue/back-off.ts";
import { isLost } from "./errors.ts";

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

const ANSWER_LIMIT_MS = 10_000;

/** Asks WhatsApp once to unlink this device. */
export function askToUnlink(socket: WASocket, jid: string): Promise<LogoutOutcome> {
  const content = [{ tag: "remove-companion-device", attrs: { jid, reason: "user_initiated" } }];
  const attrs = { to: "s.whatsapp.net", type: "set", xmlns: "md" };
  // The library's own method does not wait for the response, and closing may overtake the request.
  return socket.query({ tag: "iq", attrs, content }, ANSWER_LIMIT_MS).then(
    () => "unlinked" as const,
    (error: unknown) => (isLost(error) ? ("lost" as const) : ("refused" as const)),
  );
}
