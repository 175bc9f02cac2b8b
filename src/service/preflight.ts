import { createServer } from "node:net";
import { join } from "node:path";
import { isLoopback } from "../config/emulators.ts";
import type { Config } from "../config.ts";
import { SINK_KINDS } from "../core/delivery/sink/sink.ts";
import { withRemedy } from "../database/embedded/error.ts";
import { makeDirectory } from "../platform/file/make-directory.ts";
import type { Log } from "../platform/log.ts";

/**
 * Whether the ports are free, the data directory can be used and the events of the sink exist, before anything is started: a second start on the same
 * machine fails at once and in words. Throws an error for the operator.
 */
export async function checkSettings(config: Config): Promise<void> {
  const { host, port, sandbox, sandboxPort, metricsListen, dataDir, sink } = config;
  const unknown = sink?.events.filter((kind) => !SINK_KINDS.includes(kind)) ?? [];
  if (unknown.length > 0 || sink?.events.length === 0)
    throw new Error(`SINK_EVENTS must name some of ${SINK_KINDS.join(", ")}, not "${unknown.join(", ")}"`);
  try {
    makeDirectory(dataDir, 0o711);
  } catch (error) {
    throw withRemedy(error, `use ${dataDir} as the data directory`);
  }
  await checkPort(host, port, "PORT");
  if (sandbox) await checkPort("127.0.0.1", sandboxPort, "SANDBOX_PORT");
  if (metricsListen !== null) await checkPort(metricsListen.host, metricsListen.port, "METRICS_LISTEN");
}

/** What works and is seldom meant, on an installation with real messengers. */
export function warnOfSettings(
  { production, sandbox, publicUrl, secretKey, dataDir }: Config,
  log: Pick<Log, "warn">,
): void {
  if (!production || sandbox) return;
  if (isLoopback(new URL(publicUrl).hostname))
    log.warn(
      { publicUrl },
      "PUBLIC_URL is an address of this machine: links to pages and files work only here, and messengers cannot call it",
    );
  if (secretKey === undefined)
    log.warn(
      { path: join(dataDir, "secret.key") },
      "SECRET_KEY is not set: the key of all credentials is in the data directory, so back it up apart from the database",
    );
}

async function checkPort(host: string, port: number, setting: string): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw new Error(`${setting}: ${REASONS[String(code)] ?? String(error)} (${host}:${port}). ${REMEDY}`, {
      cause: error,
    });
  }
  await new Promise((resolve) => server.close(resolve));
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there: does the service run already?",
  EADDRNOTAVAIL: "this machine does not have the address",
  EACCES: "this user may not listen there",
};
const REMEDY = "Set another, or end the other program.";
