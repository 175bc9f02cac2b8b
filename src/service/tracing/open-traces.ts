import type { Config } from "../../config.ts";
import { VERSION } from "../../http/openapi/document.ts";
import type { Log } from "../../platform/log.ts";
import { traceSpans } from "../../platform/metrics.ts";
import type { MessageTraces } from "./message-traces.ts";

export interface Traces {
  readonly messages: MessageTraces;
  /** Sends what is left; the caller limits the time. */
  close(): Promise<void>;
}

/** Null without a collector; the SDK is then not loaded. */
export async function openTraces({ traces, nodeName }: Config, log: Log): Promise<Traces | null> {
  if (traces === null) return null;
  const [{ createTracer }, { MessageTraces }] = await Promise.all([
    import("../../platform/tracing/tracer.ts"),
    import("./message-traces.ts"),
  ]);
  const tracer = createTracer({
    ...traces,
    serviceVersion: VERSION,
    instance: nodeName,
    log,
    onSpans: (result, count) => traceSpans.inc({ result }, count),
  });
  const { sampler, ratio, url } = traces;
  log.info({ collector: new URL(url).host, sampler, ratio }, "traces of messages are exported");
  return { messages: new MessageTraces(tracer), close: () => tracer.close() };
}
