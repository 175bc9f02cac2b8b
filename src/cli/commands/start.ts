import { describeSettings } from "../../config.ts";
import { createLog, type Log } from "../../platform/log.ts";
import { releaseMemoryAfterBursts } from "../../platform/memory.ts";
import { visibleText } from "../../platform/visible-text.ts";
import { transports } from "../../transports/index.ts";
import type { Command } from "../command.ts";
import { table } from "../table.ts";
import { readCommandConfig } from "../with-database.ts";

/** After the first requests of those who waited for the start. */
const SETTLED_MS = 2_000;
/** At Ctrl+C npm hands on what the terminal has sent already: so soon it is the same signal. */
const SAME_SIGNAL_MS = 500;

export const start: Command = {
  name: "start",
  summary: "Run the service until SIGTERM or Ctrl+C",
  args: [],
  options: {},
  async details() {
    const settings = describeSettings(transports.map(({ definition }) => definition));
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
    // From here on: a start that was interrupted half-way would leave PostgreSQL behind.
    const asked = askedToStop(log);
    // Loaded here, since no other command needs the whole service.
    const { runService } = await import("../../main.ts");
    const service = await runService(
      config,
      log,
      (text) => void process.stdout.write(`${visibleText(text)}\n`),
    );
    setTimeout(() => releaseMemoryAfterBursts({ atOnce: true }), SETTLED_MS).unref();
    await asked;
    await service.stop();
    // Whatever still holds the event loop must not keep a stopped service alive.
    process.exit(0);
  },
};

function shown(fallback: string | null): string {
  return fallback === null || fallback === "" ? "" : ` [${fallback}]`;
}

/** Resolves at the first signal; a second one ends the program at once. */
function askedToStop(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt < SAME_SIGNAL_MS) return resolve();
      log.warn({ signal }, "stopped before everything in flight was done");
      process.exit(1);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

/** After an error that nobody foresaw, the state is unknown: all that matters is stored, so start anew. */
function dieLoudly(log: Log): void {
  const die = (error: unknown) => {
    log.fatal({ err: error }, "an unforeseen error; the service ends and should be started again");
    process.exit(70);
  };
  process.on("uncaughtException", die);
  process.on("unhandledRejection", die);
}
