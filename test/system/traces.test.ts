import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from "../kit/otlp-collector.ts";
import type { ServiceProcess } from "../kit/service.ts";
import { type Channel, messageBody, requestId, type Stand, send, startStand } from "../kit/stand.ts";

const [INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER] = [1, 2, 3, 4, 5];
/** Prints which modules of OpenTelemetry a process loads. */
const WATCH_MODULES = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module";
   registerHooks({ load(url, context, next) {
     const [, name] = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url) ?? [];
     if (name !== undefined) console.log("loads " + name);
     return next(url, context);
   } });`,
)}`;

let stand: Stand;
let collector: OtlpCollector;
let channel: Channel;
let person: string;
let front: ServiceProcess;
let settings: Record<string, string>;

beforeAll(async () => {
  [stand, collector] = await Promise.all([startStand(), startOtlpCollector()]);
  settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-key",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "50",
    WEBHOOK_SCHEDULE: "100ms",
  };
  await stand.start({ ...settings, NODE_NAME: "back", ROLES: "sessions,delivery,jobs" });
  front = await stand.start({ ...settings, NODE_NAME: "front", ROLES: "api" });
  channel = await stand.addChannel(1);
  person = channel.people[0] ?? "";
});
afterAll(() => Promise.all([stand.stop(), collector.stop()]));

const traceOf = (messageId: string): string => messageId.replaceAll("-", "");
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);
const has = (spans: readonly CollectedSpan[], ...names: string[]): boolean =>
  names.every((name) => named(spans, name).length > 0);

/** Each span below the root of its message. */
function expectTree(spans: readonly CollectedSpan[], rootName: string): CollectedSpan {
  const [root, ...others] = spans.filter(({ parentId }) => parentId === "");
  if (root === undefined) throw new Error("there is no root");
  expect(others).toEqual([]);
  expect(root.name).toBe(rootName);
  for (const span of spans) if (span !== root) expect(span.parentId).toBe(root.spanId);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  return root;
}

async function sendTraced(text: string, traceparent: string): Promise<string> {
  const answer = await fetch(`${front.url}/v2/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${stand.account.accessToken}`,
      "content-type": "application/json",
      traceparent,
    },
    body: JSON.stringify(messageBody(channel, person, text)),
  });
  expect(answer.status).toBeLessThan(300);
  return requestId(await answer.json());
}

test("a message that one node accepts and another sends is one trace, linked with the client's", async () => {
  const [clientTrace, clientSpan] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const messageId = await sendTraced("Your parcel has arrived", `00-${clientTrace}-${clientSpan}-01`);
  const spans = await collector.until(traceOf(messageId), (found) =>
    has(found, "accept message", "wait in queue", "send to telegram", "publish outcome", "webhook"),
  );
  const root = expectTree(spans, "accept message");
  expect(root).toMatchObject({
    kind: SERVER,
    links: [{ traceId: clientTrace, spanId: clientSpan }],
    resource: {
      "service.name": "trunkline",
      "service.instance.id": "front",
      "deployment.environment.name": "test",
    },
    attributes: {
      "http.request.method": "POST",
      "http.route": "/v2/messages",
      "http.response.status_code": 200,
      "trunkline.account.id": stand.account.accountId,
      "trunkline.channel.id": channel.id,
      "trunkline.message.id": messageId,
    },
  });
  const [attempt] = named(spans, "send to telegram");
  expect(attempt).toMatchObject({
    kind: CLIENT,
    isError: false,
    resource: { "service.instance.id": "back" },
    attributes: { "trunkline.attempt": 1, "trunkline.outcome": "sent", "trunkline.transport": "telegram" },
  });
  expect(named(spans, "wait in queue")[0]?.kind).toBe(INTERNAL);
  expect(named(spans, "publish outcome")[0]).toMatchObject({
    kind: PRODUCER,
    attributes: { "trunkline.message.status": "sent" },
  });
  expect(named(spans, "webhook")[0]).toMatchObject({
    kind: CLIENT,
    attributes: {
      "server.address": "127.0.0.1",
      "http.response.status_code": 200,
      "trunkline.attempt": 1,
      "trunkline.webhook.events": 1,
      "trunkline.webhook.kinds": ["statuses"],
    },
  });
  const [own] = await collector.until(clientTrace, (found) => found.length > 0);
  expect(own).toMatchObject({
    name: "POST /v2/messages",
    kind: SERVER,
    parentId: clientSpan,
    links: [{ traceId: traceOf(messageId), spanId: root.spanId }],
  });
  expect(collector.headers()).toMatchObject({ authorization: "Bearer collector-key" });
});

test("a client's trace that is not sampled gets no span, and its message has its own", async () => {
  const clientTrace = "4bf92f3577b34da6a3ce929d0e0e4737";
  const messageId = await sendTraced("Not sampled", `00-${clientTrace}-00f067aa0ba902b7-00`);
  await collector.until(traceOf(messageId), (found) => has(found, "accept message", "webhook"));
  expect(collector.spans.filter(({ traceId }) => traceId === clientTrace)).toEqual([]);
});

test("a person's message is a trace from the messenger to the webhook; each attempt of a webhook is a span", async () => {
  let refusals = 2;
  stand.receiver.respond = (_post, response) => response.writeHead(refusals-- > 0 ? 500 : 200).end();
  await channel.bot.write(person, "Where is my parcel?");
  const arrived = () => stand.receiver.taken().find(({ text }) => text === "Where is my parcel?");
  await stand.receiver.until(() => arrived() !== undefined);
  stand.receiver.respond = null;
  const isDelivered = (span: CollectedSpan) => span.attributes["http.response.status_code"] === 200;
  const spans = await collector.until(traceOf(arrived()?.messageId ?? ""), (found) =>
    named(found, "webhook").some(isDelivered),
  );
  const root = expectTree(spans, "receive message");
  expect(root).toMatchObject({ kind: CONSUMER, attributes: { "trunkline.message.is_echo": false } });
  const attempts = named(spans, "webhook").map(({ attributes, isError }) => ({
    attempt: attributes["trunkline.attempt"],
    error: attributes["error.type"],
    isError,
  }));
  expect(attempts).toEqual([
    { attempt: 1, error: "HTTP 500", isError: true },
    { attempt: 2, error: "HTTP 500", isError: true },
    { attempt: 3, error: undefined, isError: false },
  ]);
});

test("each attempt to send is a span with its error code, and the last one has the outcome", async () => {
  await stand.telegram.admin("POST /faults", { method: "sendMessage", times: 2, retry_after: 1 });
  const messageId = await send(stand, channel, person, "Again and again");
  const spans = await collector.until(traceOf(messageId), (found) => has(found, "publish outcome"));
  const attempts = named(spans, "send to telegram").map(({ attributes, isError }) => ({
    attempt: attributes["trunkline.attempt"],
    outcome: attributes["trunkline.outcome"],
    isError,
  }));
  expect(attempts).toEqual([
    { attempt: 1, outcome: "again", isError: true },
    { attempt: 2, outcome: "again", isError: true },
    { attempt: 3, outcome: "sent", isError: false },
  ]);
  expect(named(spans, "wait in queue")).toHaveLength(1);
});

test("no span contains anything of a person, a text or a credential", async () => {
  await stand.telegram.admin(`POST /bots/${channel.bot.id}/users/${person}/blocks`);
  const messageId = await send(stand, channel, person, "Secret of Ann");
  await collector.until(traceOf(messageId), (found) => has(found, "send to telegram", "webhook"));
  await stand.telegram.admin(`POST /bots/${channel.bot.id}/users/${person}/unblocks`);
  const all = JSON.stringify(collector.spans);
  const secrets = ["parcel", "Ann", person, channel.bot.token, stand.account.accessToken, "collector-key"];
  for (const secret of secrets) expect(all).not.toContain(secret);
  expect(new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)))).toEqual(
    new Set([
      "error.type",
      "http.request.method",
      "http.response.status_code",
      "http.route",
      "server.address",
      "trunkline.account.id",
      "trunkline.attempt",
      "trunkline.channel.id",
      "trunkline.message.id",
      "trunkline.message.is_echo",
      "trunkline.message.status",
      "trunkline.message.type",
      "trunkline.outcome",
      "trunkline.receiver.id",
      "trunkline.transport",
      "trunkline.webhook.events",
      "trunkline.webhook.id",
      "trunkline.webhook.kinds",
    ]),
  );
});

test("a collector that hangs costs spans and no messages, and does not hold a node that stops", async () => {
  collector.hangs = true;
  const node = await stand.start({ ...settings, OTEL_BSP_MAX_QUEUE_SIZE: "1", ROLES: "api" });
  const shown = async () => String((await stand.call("GET", "/metrics")).json);
  const ids: string[] = [];
  await vi.waitUntil(
    async () => {
      ids.push(await send(stand, channel, person, `Parcel ${ids.length}`));
      return (await shown()).includes('trunkline_trace_spans_total{result="dropped"}');
    },
    { timeout: 30_000, interval: 50 },
  );
  const isSent = (id: string) =>
    stand.receiver.taken().some(({ messageId, status }) => messageId === id && status === "sent");
  await stand.receiver.until(() => ids.every(isSent));
  expect(collector.hung()).toBeGreaterThan(0);
  expect(await node.end("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(node.output()).toContain('"stopped"');
  collector.hangs = false;
});

test("a node that stops sends its last spans", async () => {
  const node = await stand.start({ ...settings, OTEL_BSP_SCHEDULE_DELAY: "3600000", ROLES: "api" });
  const messageId = await send(stand, channel, person, "The last one");
  await node.end("SIGTERM");
  await collector.until(traceOf(messageId), (found) => has(found, "accept message"));
});

test("a sampler with the ratio 0 traces nothing; without a collector the SDK is not loaded", async () => {
  const watched = { NODE_OPTIONS: WATCH_MODULES, ROLES: "api" };
  const sampled = await stand.start({
    ...settings,
    ...watched,
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0",
  });
  const unsampled = await send(stand, channel, person, "Unsampled here");
  await sampled.end("SIGTERM");
  expect(sampled.output()).toContain("loads @opentelemetry/sdk-trace");

  const off = await stand.start(watched);
  await send(stand, channel, person, "Untraced");
  await off.end("SIGTERM");
  expect(off.output()).toContain("loads @opentelemetry/api");
  expect(off.output()).not.toMatch(/loads @opentelemetry\/(?!api)/);
  expect(
    named(
      collector.spans.filter(({ traceId }) => traceId === traceOf(unsampled)),
      "accept message",
    ),
  ).toEqual([]);
});
