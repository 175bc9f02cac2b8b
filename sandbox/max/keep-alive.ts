import type { Settings } from "./settings.ts";
import type { Connection } from "./world/account.ts";
import type { World } from "./world/world.ts";

const checksPerLimit = 4;
const longestPauseMs = 1000;

/** Times of events on a connection, by the machine's clock: tests move the emulator's. */
interface LineTimes {
  readonly nowMs: number;
  readonly lastHeardMs: number;
  readonly lastRequestMs: number;
  /** When the unanswered ping was sent. */
  readonly pingedMs: number | undefined;
}

/** The next action on a connection. */
type Due = "nothing" | "ping" | "no pong" | "idle";

/**
 * Pings a client that sends nothing, and disconnects it if the ping is not answered, or if it sends no request of its
 * own for too long.
 */
export function keepAlive(world: World, connection: Connection): void {
  let pingedMs: number | undefined;
  const check = (): void => {
    if (!world.connections.has(connection)) return;
    const { lastHeardMs, lastRequestMs } = connection;
    if (pingedMs !== undefined && lastHeardMs >= pingedMs) pingedMs = undefined;
    const nowMs = Date.now();
    const due = whatIsDue({ nowMs, lastHeardMs, lastRequestMs, pingedMs }, world.settings);
    if (due === "ping") {
      pingedMs = nowMs;
      connection.ping();
    } else if (due !== "nothing") cutOff(world, connection, due);
    schedule();
  };
  const schedule = () => setTimeout(check, pauseFor(world.settings)).unref();
  schedule();
}

function whatIsDue({ nowMs, lastHeardMs, lastRequestMs, pingedMs }: LineTimes, settings: Settings): Due {
  if (pingedMs !== undefined && nowMs - pingedMs >= settings.pongMs) return "no pong";
  if (nowMs - lastRequestMs >= settings.idleMs) return "idle";
  return pingedMs === undefined && nowMs - lastHeardMs >= settings.pingMs ? "ping" : "nothing";
}

function pauseFor({ pingMs, pongMs, idleMs }: Settings): number {
  return Math.min(longestPauseMs, Math.max(5, Math.min(pingMs, pongMs, idleMs) / checksPerLimit));
}

function cutOff(world: World, connection: Connection, reason: string): void {
  world.note("cut_off", connection.session, reason);
  connection.close(1001, reason);
}
