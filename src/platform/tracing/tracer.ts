import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import { messageOf } from "../message-of.ts";
import type { SamplerName } from "./samplers.ts";
import { rootSpanIdOf, traceIdOf } from "./trace-ids.ts";

export interface TracerOptions {
  /** The address that spans are posted to, `…/v1/traces`. */
  readonly url: string;
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** The name of this node. */
  readonly instance: string;
  readonly sampler: SamplerName;
  /** Of the samplers with a ratio, 0 to 1. */
  readonly ratio: number;
  /** Spans that wait for the collector; others are dropped. */
  readonly maxQueueSize: number;
  /** How long spans wait for others before they are sent. */
  readonly delayMs: number;
  readonly log: Log;
  onSpans(result: SpanResult, count: number): void;
}

/** `failed`: the collector did not take it; `dropped`: too many waited. */
export type SpanResult = "exported" | "failed" | "dropped";

/** A span that has ended. */
export interface EndedSpan {
  readonly name: string;
  readonly kind: keyof typeof KINDS;
  readonly durationMs: number;
  /** Unix time in milliseconds; default: now. */
  readonly endedAt?: number;
  readonly attributes: Attributes;
  readonly links?: readonly SpanContext[];
  /** As `error.type`: of a bounded set, without data of persons. */
  readonly error?: string;
}

/** Records spans in traces of messages (`trace-ids.ts`), and sends them to a collector in the background. */
export interface Tracer {
  /** Whether the trace of this message is recorded. All nodes with the same settings agree. */
  isSampled(messageId: string): boolean;
  /** The root span of a message. */
  root(messageId: string, span: EndedSpan): void;
  /** A span below the root, which another node may have recorded, or record later. */
  child(messageId: string, span: EndedSpan): void;
  /** A span in the trace of a caller. */
  continued(parent: SpanContext, span: EndedSpan): void;
  /** The context of a message's root span, for links to it. */
  contextOf(messageId: string): SpanContext;
  /** Sends what is left. */
  close(): Promise<void>;
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Further settings (OTEL_EXPORTER_OTLP_…, OTEL_RESOURCE_ATTRIBUTES) are read from the environment by the SDK. */
export function createTracer(options: TracerOptions): Tracer {
  reportProblems(options.log);
  const base = baseSampler(options);
  const ids = new GivenIds();
  const provider = new TracerProvider({
    resource: resourceOf(options),
    sampler: options.sampler.startsWith("parentbased") ? new ParentBasedSampler({ root: base }) : base,
    idGenerator: ids,
    spanProcessors: [createProcessor(options)],
  });
  const tracer = provider.getTracer("trunkline", options.serviceVersion);
  const isSampled = (messageId: string): boolean =>
    base.shouldSample(ROOT_CONTEXT, traceIdOf(messageId), "", SpanKind.INTERNAL, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED;
  const contextOf = (messageId: string): SpanContext => ({
    traceId: traceIdOf(messageId),
    spanId: rootSpanIdOf(messageId),
    traceFlags: isSampled(messageId) ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });
  const record = (context: Context, span: EndedSpan): void => {
    const endedAt = span.endedAt ?? Date.now();
    const recorded = tracer.startSpan(
      span.name,
      {
        kind: KINDS[span.kind],
        startTime: endedAt - span.durationMs,
        attributes:
          span.error === undefined ? span.attributes : { ...span.attributes, "error.type": span.error },
        links: (span.links ?? []).map((context): Link => ({ context })),
      },
      context,
    );
    if (span.error !== undefined) recorded.setStatus({ code: SpanStatusCode.ERROR });
    recorded.end(endedAt);
  };
  return {
    isSampled,
    contextOf,
    root: (messageId, span) => ids.give(contextOf(messageId), () => record(ROOT_CONTEXT, span)),
    child: (messageId, span) => record(trace.setSpanContext(ROOT_CONTEXT, contextOf(messageId)), span),
    continued: (parent, span) => record(trace.setSpanContext(ROOT_CONTEXT, parent), span),
    close: () => provider.shutdown(),
  };
}

/** Random ids, except within `give`. */
class GivenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: Pick<SpanContext, "traceId" | "spanId"> | null = null;

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId();
  }

  give(ids: Pick<SpanContext, "traceId" | "spanId">, run: () => void): void {
    this.#given = ids;
    try {
      run();
    } finally {
      this.#given = null;
    }
  }
}

function baseSampler({ sampler, ratio }: TracerOptions): Sampler {
  if (sampler.endsWith("always_on")) return new AlwaysOnSampler();
  return sampler.endsWith("always_off") ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

function resourceOf({ serviceName, serviceVersion, instance }: TracerOptions) {
  const own = { "service.version": serviceVersion, "service.instance.id": instance };
  return resourceFromAttributes({ ...own, "service.name": "trunkline" })
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(resourceFromAttributes(serviceName === "" ? {} : { "service.name": serviceName }));
}

/** A batch processor that counts what it exports and drops. */
function createProcessor(options: TracerOptions): SpanProcessor {
  const { maxQueueSize, delayMs, onSpans } = options;
  let waiting = 0;
  const exporter = countingExporter(options, (taken) => {
    waiting -= taken;
  });
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize,
    maxExportBatchSize: Math.min(512, maxQueueSize),
    scheduledDelayMillis: delayMs,
  });
  return {
    onStart: () => undefined,
    onEnd(span) {
      // The processor itself would drop it without a count.
      if (waiting >= maxQueueSize) return onSpans("dropped", 1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** Logs when the collector is away and when it is back, not each failure. */
function countingExporter(
  { url, log, onSpans }: TracerOptions,
  onTaken: (count: number) => void,
): SpanExporter {
  const exporter = new OTLPTraceExporter({ url });
  let isAway = false;
  return {
    export(spans, done) {
      onTaken(spans.length);
      exporter.export(spans, (result) => {
        const isExported = result.code === ExportResultCode.SUCCESS;
        onSpans(isExported ? "exported" : "failed", spans.length);
        if (isExported && isAway) log.info("traces are exported again");
        if (!isExported && !isAway)
          log.warn(
            { reason: messageOf(result.error ?? "unknown") },
            "traces cannot be exported; spans are lost meanwhile",
          );
        isAway = !isExported;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

/** What the SDK says of faulty settings. Failed exports are counted and logged by `countingExporter`. */
function reportProblems(log: Log): void {
  setGlobalErrorHandler((error) => log.debug({ reason: messageOf(error) }, "traces were not exported"));
  const warn = (text: string): void => log.warn({ reason: text }, "OpenTelemetry reports a problem");
  const ignore = (): void => undefined;
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
}
