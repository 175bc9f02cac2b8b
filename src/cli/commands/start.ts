import { describeSettings } from "../../config.ts";
import { visibleText } from "../../platform/foreign/visible-text.ts";
import { createLog, type Log } from "../../platform/log.ts";
import { releaseMemoryAfterBursts } from "../../platform/memory.ts";
import { definitions } from "../../transports/definitions.ts";
import type { Command } from "../command.ts";
import { table } from "../table.ts";
import { readCommandConfig } from "../with-database.ts";

/** Runs after the first client requests that waited for the start. */
const SETTLED_MS = 2_000;
/**
 * On Ctrl+C, npm forwards the signal that the terminal has already sent; within this time it counts as the same
 * signal.
 */
const SAME_SIGNAL_MS = 1_000;

export const start: Command = {
  name: "start",
  summary: "Run the service until SIGTERM or Ctrl+C",
  args: [],
  options: {},
  async details() {
    const settings = describeSettings(definitions);
    const rows = settings.map(({ env, default: fallback, help }) => [
      `  ${env}`,
      `${help}${shown(fallback)}`,
    ]);
    return ["", "Settings, from the environment or a .env file:", table(rows)];
  },
  async run() {
    const config = readCommandConfig();
    const log = createLog({ level: config.logLevel, pretty: config.logPretty });
    dieLoudly(log);
    // Listens for signals before the start: otherwise an interrupted start would leave PostgreSQL running.
    const asked = askedToStop(log);
    // Loaded on demand, because no other command needs the whole service.
    const { runService } = await import("../../service/service.ts");
    const print = (text: string): void => void process.stdout.write(`${visibleText(text)}\n`);
    const service = await runService({ config, log, print });
    setTimeout(() => releaseMemoryAfterBursts({ atOnce: true }), SETTLED_MS).unref();
    const tooOld = await Promise.race([asked, service.tooOld]);
    if (tooOld !== undefined)
      log.error({ err: tooOld }, "this node was excluded by a later release; it ends");
    await service.stop();
    // Exits even if something still keeps the event loop alive.
    process.exit(tooOld === undefined ? 0 : 1);
  },
};

function shown(fallback: string | null): string {
  return fallback === null || fallback === "" ? "" : ` [${fallback}]`;
}

/** Resolves on the first signal; a second one exits immediately. */
function askedToStop(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt < SAME_SIGNAL_MS) return resolve();
      log.warn({ signal }, "stopped before all pending work was done");
      process.exit(1);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

/**
 * After an unexpected error the state is undefined. All relevant state is stored, so exit and let the supervisor
 * restart.
 */
function dieLoudly(log: Log): void {
  const die = (error: unknown) => {
    log.fatal({ err: error }, "unexpected error; the service exits and should be restarted");
    process.exit(70);
  };
  process.on("uncaughtException", die);
  process.on("unhandledRejection", die);
}
