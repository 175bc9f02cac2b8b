import { createRequire } from "node:module";
import { Writable } from "node:stream";
import { type DestinationStream, type Logger, pino } from "pino";
import { visibleJson } from "./foreign/visible-text.ts";

export type Log = Logger;

/** Fields whose values are redacted, up to two levels deep. */
const SECRET_NAMES = [
  "authorization",
  "cookie",
  "token",
  "accessToken",
  "apiKey",
  "credentials",
  "crmKey",
  "password",
  "secret",
  "secretKey",
  "SECRET_KEY",
];

/**
 * Logs JSON lines to stdout, or one readable line per entry if `pretty`. Writes synchronously, so that the last lines
 * before a crash are not lost.
 */
export function createLog(options: { level: string; pretty: boolean; destination?: DestinationStream }): Log {
  const destination = options.pretty
    ? prettyStream(options.destination)
    : (options.destination ?? pino.destination({ dest: 1, sync: true }));
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[hidden]",
      },
    },
    destination,
  );
}

// Loaded on demand: servers do not need it.
function prettyStream(destination: DestinationStream | undefined): DestinationStream {
  const pretty: typeof import("pino-pretty") = createRequire(import.meta.url)("pino-pretty");
  const stream = pretty({
    singleLine: true,
    sync: true,
    colorize: destination === undefined && process.stdout.isTTY === true,
    translateTime: "SYS:HH:MM:ss.l",
    ...(destination === undefined ? {} : { destination: asStream(destination) }),
  });
  // The output is a terminal, and log entries may contain foreign text.
  return { write: (line: string) => void stream.write(visibleJson(line)) };
}

function asStream(destination: DestinationStream): Writable {
  return new Writable({
    write(line, _encoding, done) {
      destination.write(String(line));
      done();
    },
  });
}
