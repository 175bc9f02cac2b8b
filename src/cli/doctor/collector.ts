import type { Config } from "../../config.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type Finding, ok, warn } from "./check.ts";

const NAME = "trace collector";
const TIMEOUT_MS = 5_000;
const REMEDY =
  "Check OTEL_EXPORTER_OTLP_ENDPOINT: the collector's port for OTLP over HTTP, usually 4318; messages go on without it";

/** Checks that the OpenTelemetry collector responds at its address for traces. */
export async function checkCollector({ traces }: Config, network: boolean): Promise<Finding[]> {
  if (traces === null) return [];
  const { url, sampler } = traces;
  if (!network) return [ok(NAME, `${url}, ${sampler}; not tried, --network connects to it`)];
  try {
    // Without headers, which may contain a key: any HTTP response but 404 proves the address.
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-protobuf" },
      body: new Uint8Array(),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.status === 404) return [warn(NAME, `${url} responds with 404`, REMEDY)];
    return [ok(NAME, `${url} responds with ${response.status}`)];
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return [warn(NAME, `${url}: ${messageOf(cause)}`, REMEDY)];
  }
}
