import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { exitHealth } from "./network/proxy/exit-health.ts";
import { exitKey, shownProxy } from "./network/proxy/proxy.ts";

/** All metrics of `GET /metrics`. */
export const registry = new Registry();
/**
 * The event loop is sampled by a timer of this interval, and each sample includes the interval. At prom-client's 10 ms, the
 * timer alone costs an idle service a third of its processor time.
 */
const EVENT_LOOP_SAMPLE_MS = 250;
collectDefaultMetrics({
  register: registry,
  prefix: "trunkline_",
  eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS,
});

const registers = [registry];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Requests to our own HTTP interface. `route` is the pattern, never the URL. */
export const httpDuration = new Histogram({
  name: "trunkline_http_request_duration_seconds",
  help: "Duration of requests to this service",
  labelNames: ["method", "route", "status"],
  buckets: SECONDS,
  registers,
});

/** `kind`: stream, poll (of the connect page) or file (that is still being downloaded). */
export const openRequests = new Gauge({
  name: "trunkline_open_requests",
  help: "Requests that stay open until something happens",
  labelNames: ["kind"],
  registers,
});

/** `scope`: the limit that was reached; of a session, and on a full node, an older request may have been ended. */
export const refusedRequests = new Counter({
  name: "trunkline_refused_requests_total",
  help: "Requests refused or ended because too many stay open",
  labelNames: ["kind", "scope"],
  registers,
});

export const messagesAccepted = new Counter({
  name: "trunkline_messages_accepted_total",
  help: "Outgoing messages stored",
  registers,
});

/** `result`: sent, again (it will be retried), or a message error code. */
export const sends = new Counter({
  name: "trunkline_sends_total",
  help: "Attempts to send a message to a messenger",
  labelNames: ["transport", "result"],
  registers,
});

export const sendDuration = new Histogram({
  name: "trunkline_send_duration_seconds",
  help: "Duration of sending a message to a messenger",
  labelNames: ["transport"],
  buckets: SECONDS,
  registers,
});

export const inboundEvents = new Counter({
  name: "trunkline_inbound_events_total",
  help: "Stored events from messengers",
  labelNames: ["kind"],
  registers,
});

export const unknownReports = new Counter({
  name: "trunkline_unknown_reports_total",
  help: "Parts of messengers' reports that this service does not know",
  labelNames: ["transport", "kind"],
  registers,
});

/** `result`: ok, refused (a status other than 2xx) or failed (no response). */
export const webhookPosts = new Counter({
  name: "trunkline_webhook_posts_total",
  help: "POSTs to receivers",
  labelNames: ["result"],
  registers,
});

/** `result`: as for the POSTs. */
export const webhookItems = new Counter({
  name: "trunkline_webhook_items_total",
  help: "Events in POSTs to receivers",
  labelNames: ["result"],
  registers,
});

export const webhookDuration = new Histogram({
  name: "trunkline_webhook_duration_seconds",
  help: "Duration of POSTs to receivers",
  buckets: SECONDS,
  registers,
});

/** `result`: exported, failed (the collector did not take them) or dropped (too many waited). */
export const traceSpans = new Counter({
  name: "trunkline_trace_spans_total",
  help: "Spans for the OpenTelemetry collector",
  labelNames: ["result"],
  registers,
});

/** `queue`: send, webhook, parked, files or exports. Counted periodically by the sweeper, over all nodes. */
export const queueDepth = new Gauge({
  name: "trunkline_queue_depth",
  help: "Jobs waiting in the database",
  labelNames: ["queue"],
  registers,
});

/** The age of the oldest due job, by the same queues. */
export const queueDelay = new Gauge({
  name: "trunkline_queue_delay_seconds",
  help: "How long the oldest due job has been waiting",
  labelNames: ["queue"],
  registers,
});

export const channels = new Gauge({
  name: "trunkline_channels",
  help: "Channels that are not deleted",
  labelNames: ["transport", "status"],
  registers,
});

export const restrictedChannels = new Gauge({
  name: "trunkline_channels_restricted",
  help: "Channels whose account the messenger restricts",
  labelNames: ["transport", "kind"],
  registers,
});

/** `result`: ok (confirmed), refused (by the broker, single messages) or failed. No sample without SINK_URL. */
export const sinkEvents = new Counter({
  name: "trunkline_sink_events_total",
  help: "Events published to the sink",
  labelNames: ["result"],
  registers,
});

export const sinkDuration = new Histogram({
  name: "trunkline_sink_duration_seconds",
  help: "Time until the sink has confirmed the events of an account that were sent together",
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
  registers,
});

/** No sample before the first event. */
export const sinkUp = new Gauge({
  name: "trunkline_sink_up",
  help: "Whether the sink accepted the last events of this node",
  labelNames: ["address"],
  registers,
});

/** No sample without DIRECTORY_URL. */
export const directoryUp = new Gauge({
  name: "trunkline_directory_up",
  help: "Whether the directory of the installation answered this node's last request",
  labelNames: ["cell"],
  registers,
});

/** `step`: the step's name, as in the log entry of its failure. */
export const upkeepFailures = new Counter({
  name: "trunkline_upkeep_failures_total",
  help: "Failed steps of the upkeep; each is repeated at its next run",
  labelNames: ["step"],
  registers,
});

export const upkeepSeconds = new Gauge({
  name: "trunkline_upkeep_seconds",
  help: "How long the last run of a step of the upkeep took",
  labelNames: ["step"],
  registers,
});

export const upkeepDone = new Gauge({
  name: "trunkline_upkeep_last_success_timestamp_seconds",
  help: "When a step of the upkeep last ended without a failure, as Unix time",
  labelNames: ["step"],
  registers,
});

export const upkeepRows = new Counter({
  name: "trunkline_upkeep_rows_total",
  help: "Rows that a step of the upkeep removed or changed, where it counts them",
  labelNames: ["step"],
  registers,
});

export const upkeepOverdue = new Gauge({
  name: "trunkline_upkeep_overdue_steps",
  help: "Steps of the upkeep that have not succeeded for several of their periods",
  registers,
});

/** Removes the metrics of the upkeep from this node: another node now reports them. */
export function forgetUpkeep(): void {
  for (const each of [queueDepth, queueDelay, channels, upkeepSeconds, upkeepDone, upkeepOverdue])
    each.reset();
}

export const leaseLosses = new Counter({
  name: "trunkline_lease_losses_total",
  help: "Leases that this node lost; each loss ends all its sessions",
  registers,
});

/** The current state of this node, read at each scrape. */
export interface NodeState {
  /** It runs the upkeep for all nodes. */
  readonly leads: boolean;
  readonly leaseHeld: boolean;
  /** The part of its usual concurrency that it may use, up to 1. */
  readonly concurrency: number;
  /** The last migration that its release knows. */
  readonly schemaVersion: number;
  readonly channelsOwned: number;
  readonly channelsWaiting: number;
  readonly databaseUp: boolean;
  /** Connections of the pool; `waiting` are requests for a connection. */
  readonly connections: Readonly<Record<"open" | "idle" | "waiting", number>>;
}

let nodeState: (() => NodeState) | null = null;

export function observeNode(state: () => NodeState): void {
  nodeState = state;
}

function nodeGauge(name: string, help: string, read: (state: NodeState) => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      if (nodeState !== null) this.set(read(nodeState()));
    },
  });
}

nodeGauge("trunkline_lease_held", "1 while this node holds its lease and may run channels", (state) =>
  Number(state.leaseHeld),
);
nodeGauge(
  "trunkline_concurrency_ratio",
  "Part of its usual concurrency that this node uses; below 1 after its start, a lost lease or late renewals",
  (state) => state.concurrency,
);
nodeGauge("trunkline_upkeep_leader", "1 while this node runs the upkeep for all nodes", (state) =>
  Number(state.leads),
);
nodeGauge(
  "trunkline_schema_version",
  "Number of the last migration that this node's release knows",
  (state) => state.schemaVersion,
);
nodeGauge("trunkline_channels_owned", "Channels that this node runs", (state) => state.channelsOwned);
nodeGauge(
  "trunkline_channels_waiting",
  "Channels of this node that are not opened yet, because others are connecting or file descriptors are short",
  (state) => state.channelsWaiting,
);
nodeGauge("trunkline_database_up", "1 while PostgreSQL can be reached", (state) => Number(state.databaseUp));

new Gauge({
  name: "trunkline_database_connections",
  help: "Connections of this node's pool; waiting are requests for one",
  labelNames: ["state"],
  registers,
  collect() {
    if (nodeState === null) return;
    for (const [state, count] of Object.entries(nodeState().connections)) this.set({ state }, count);
  },
});

let exits: readonly string[] = [];

/** The operator's proxies, as URLs; those of tenants are not reported one by one. */
export function reportExits(urls: readonly string[]): void {
  exits = urls;
}

const EXIT_LABELS = ["exit", "address"];

/** The operator's proxies may be anywhere. */
const exitOf = (url: string) => ({ url, allowNetworks: null });

/** Users of one provider differ only in their user names, so the address does not identify an exit. */
const labelsOf = (url: string) => ({ exit: exitKey(url), address: shownProxy(url) });

new Gauge({
  name: "trunkline_exit_up",
  help: "0 while a proxy of the settings does not work for this node",
  labelNames: EXIT_LABELS,
  registers,
  collect() {
    this.reset();
    for (const url of exits) this.set(labelsOf(url), exitHealth(exitOf(url)).failure === null ? 1 : 0);
  },
});

new Gauge({
  name: "trunkline_exit_connections",
  help: "Connections through a proxy of the settings since the start, by result: opened or failed",
  labelNames: [...EXIT_LABELS, "result"],
  registers,
  collect() {
    this.reset();
    for (const url of exits) {
      const { opened, failed } = exitHealth(exitOf(url));
      this.set({ ...labelsOf(url), result: "opened" }, opened);
      this.set({ ...labelsOf(url), result: "failed" }, failed);
    }
  },
});
