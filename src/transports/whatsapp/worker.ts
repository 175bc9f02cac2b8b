import { serveSessions } from "../../core/transport/isolation/serve-sessions.ts";

// libsignal prints whole sessions with their private keys.
for (const method of ["log", "info", "warn", "error", "debug", "trace"] as const) {
  console[method] = () => undefined;
}
const { openSession } = await import("./session.ts");
serveSessions((link) => openSession(link));
