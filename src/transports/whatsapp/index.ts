import { defineTransport } from "../../core/transport/connector.ts";
import { isolate } from "../../core/transport/isolation/isolate.ts";
import { definition } from "./definition.ts";

const MEGABYTE = 1024 * 1024;
const workerFile = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js";

/** Sessions run in worker processes: the library is large, immature, and holds the keys of accounts. */
export default defineTransport(
  definition,
  isolate(definition, {
    entry: new URL(workerFile, import.meta.url),
    sessionsPerWorker: 100,
    maxRssBytes: 600 * MEGABYTE,
    maxHeapMegabytes: 512,
    environment: ({ ca }) => (ca === "" ? {} : { NODE_EXTRA_CA_CERTS: ca }),
  }),
);
