import { messageOf } from "../message-of.ts";
import { convert, provideCodecs } from "./convert.ts";
import type { MediaJob, MediaResult } from "./shape.ts";

// The program of a media process: does one job and ends. A file is foreign input for large native libraries, so a fault
// in them must not reach the service.

const MAX_RSS_BYTES = 600 * 1024 * 1024;
const WATCH_MS = 100;

process.on("disconnect", () => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.once("message", (job) => void work(job as MediaJob));

async function work(job: MediaJob): Promise<void> {
  // It also keeps the process alive: the libraries' own threads do not.
  setInterval(() => {
    if (process.memoryUsage.rss() > MAX_RSS_BYTES) answer(failed("It takes too much memory"));
  }, WATCH_MS);
  try {
    provideCodecs();
    answer(await convert(job));
  } catch (error) {
    answer(failed(messageOf(error)));
  }
}

const failed = (reason: string): MediaResult => ({ kind: "failed", reason });

function answer(result: MediaResult): void {
  process.send?.(result, undefined, undefined, () => process.exit(0));
}
