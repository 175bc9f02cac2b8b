import { serveSessions } from "../../../src/core/transport/isolation/serve-sessions.ts";

// Output of libsignal may contain keys and must not leave the process.
for (const method of ["log", "info", "warn", "error", "debug", "trace"] as const)
  console[method] = () => undefined;
const [{ openSession }, { TIMING }] = await Promise.all([
  import("../../../src/transports/whatsapp/session.ts"),
  import("../../../src/transports/whatsapp/connection.ts"),
]);

/** Sessions with shorter waiting times than real ones, for tests, but longer than a machine may stop. */
serveSessions((link) =>
  openSession(link, {
    ...TIMING,
    // The library ends a connection that is silent for five seconds longer.
    pingMs: 3_000,
    silentMs: 12_000,
    undecryptableMs: 8_000,
    codePauseMs: 0,
    historyQuietMs: 300,
    firstPauseMs: 50,
    handoffMs: link.channelId.endsWith("late") ? 0 : 300_000,
    continueMs: link.channelId.endsWith("silent") ? 300 : 30_000,
    ackMs: 10_000,
    // As in `TIMING`, shorter than `ackMs`: a query before a send fails before the send's outcome is unknown.
    queryMs: 8_000,
    ...(link.channelId.endsWith("qr") ? { qrMs: 400 } : {}),
    ...(link.channelId.endsWith("foreign") ? { openMs: 300, quietMs: 300 } : {}),
  }),
);
