import { defineTransport } from "../../core/transport/connector.ts";
import { isolate } from "../../core/transport/isolation/isolate.ts";
import { definition } from "./definition.ts";

const MEGABYTE = 1024 * 1024;
const workerFile = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js";

/** Sessions run in worker processes, like those of all personal accounts: untrusted frames are decoded there. */
export default defineTransport(
  definition,
  isolate(definition, {
    entry: new URL(workerFile, import.meta.url),
    sessionsPerWorker: 300,
    maxRssBytes: 500 * MEGABYTE,
    maxHeapMegabytes: 400,
  }),
);
