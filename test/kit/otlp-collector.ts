import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { vi } from "vitest";
import { startOwnServer } from "./own-port.ts";

/** A span as a collector got it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it is a root. */
  readonly parentId: string;
  readonly name: string;
  /** As in OTLP: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly durationMs: number;
  readonly attributes: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
  /** Attributes of the node. */
  readonly resource: Attributes;
}

type Attributes = Readonly<Record<string, unknown>>;

/** A collector that takes OTLP over HTTP, as protobuf. */
export interface OtlpCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Headers of the last request. */
  headers(): IncomingMessage["headers"];
  /** Leaves requests without an answer. */
  hangs: boolean;
  /** How many requests got none. */
  hung(): number;
  /** The spans of this trace, once they satisfy the condition. */
  until(traceId: string, condition: (spans: readonly CollectedSpan[]) => boolean): Promise<CollectedSpan[]>;
  stop(): Promise<void>;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  let headers: IncomingMessage["headers"] = {};
  let hung = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on("error", () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (collector.hangs) return void hung++;
    headers = request.headers;
    if (request.url === "/v1/traces") spans.push(...spansOf(Buffer.concat(chunks)));
    response.writeHead(request.url === "/v1/traces" ? 200 : 404).end();
  };
  const { port, close } = await startOwnServer(
    () => createServer((request, response) => void take(request, response).catch(() => undefined)),
    (server) => server.closeAllConnections(),
  );
  const collector: OtlpCollector = {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers: () => headers,
    hangs: false,
    hung: () => hung,
    async until(traceId, condition) {
      const found = () => spans.filter((span) => span.traceId === traceId);
      await vi
        .waitUntil(() => condition(found()), { timeout: 30_000, interval: 20 })
        .catch((error: unknown) => {
          throw new Error(`the trace has only ${JSON.stringify(found(), null, 1)}`, { cause: error });
        });
      return found();
    },
    stop: close,
  };
  return collector;
}

/** The values of a protobuf message by the numbers of their fields: numbers for varints, else bytes. */
type Fields = ReadonlyMap<number, readonly (number | Buffer)[]>;

/** An `ExportTraceServiceRequest` (opentelemetry/proto/trace/v1/trace.proto). */
function spansOf(body: Buffer): CollectedSpan[] {
  return messagesOf(fieldsOf(body), 1).flatMap((ofNode) => {
    const resource = attributesOf(messagesOf(ofNode, 1).flatMap((each) => messagesOf(each, 1)));
    return messagesOf(ofNode, 2)
      .flatMap((scope) => messagesOf(scope, 2))
      .map((span) => spanOf(span, resource));
  });
}

function spanOf(span: Fields, resource: Attributes): CollectedSpan {
  const [status] = messagesOf(span, 15);
  return {
    traceId: bytesOf(span, 1).toString("hex"),
    spanId: bytesOf(span, 2).toString("hex"),
    parentId: bytesOf(span, 4).toString("hex"),
    name: bytesOf(span, 5).toString(),
    kind: Number(span.get(6)?.[0] ?? 0),
    durationMs: Number(bytesOf(span, 8).readBigUInt64LE() - bytesOf(span, 7).readBigUInt64LE()) / 1e6,
    attributes: attributesOf(messagesOf(span, 9)),
    links: messagesOf(span, 13).map((link) => ({
      traceId: bytesOf(link, 1).toString("hex"),
      spanId: bytesOf(link, 2).toString("hex"),
    })),
    isError: status?.get(3)?.[0] === 2,
    resource,
  };
}

function attributesOf(pairs: readonly Fields[]): Attributes {
  return Object.fromEntries(
    pairs.map((pair) => [bytesOf(pair, 1).toString(), messagesOf(pair, 2).map(anyValueOf)[0]]),
  );
}

function anyValueOf(value: Fields): unknown {
  const [kind = 0, [first] = []] = [...value][0] ?? [];
  if (kind === 1 && Buffer.isBuffer(first)) return first.toString();
  if (kind === 4 && Buffer.isBuffer(first)) return first.readDoubleLE();
  if (kind === 5 && Buffer.isBuffer(first)) return messagesOf(fieldsOf(first), 1).map(anyValueOf);
  return kind === 2 ? first === 1 : first;
}

function messagesOf(fields: Fields, number: number): Fields[] {
  return (fields.get(number) ?? []).filter((value) => Buffer.isBuffer(value)).map(fieldsOf);
}

function bytesOf(fields: Fields, number: number): Buffer {
  const value = fields.get(number)?.[0];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function fieldsOf(bytes: Buffer): Fields {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag & 7;
    const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : varint());
    const number = tag >>> 3;
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}
