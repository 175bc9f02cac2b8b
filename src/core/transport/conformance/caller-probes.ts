import type { InboundReply, InboundRequest, Transport } from "../connector.ts";
import { createTestAppLink } from "./app-link.ts";
import { startFaultyServer } from "./faults.ts";
import { type AnyLink, linkTo } from "./link.ts";
import type { ConformanceCases } from "./probes.ts";

/** Bodies that a stranger may post to a public address. */
const BODIES: readonly string[] = ["", "null", "[]", "{}", '{"', "\0", "<xml/>", `[${"[".repeat(2_000)}`];
const HEADERS = {
  "content-type": "application/json",
  "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
  "x-signature": "0".repeat(64),
  authorization: "Bearer guess",
};

/**
 * Calls without the messenger's secret or signature, including the transport's own samples: they must be refused and
 * have no effect.
 */
export async function probeStrangers(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const calls = strangersCalls(cases);
  const { receive, receiveForApp } = transport.connector;
  const problems: string[] = [];
  await withLink(cases, async (link) => {
    const app = appOf(link);
    type Receive = Parameters<NonNullable<typeof receive>>;
    type ReceiveForApp = Parameters<NonNullable<typeof receiveForApp>>;
    for (const call of calls) {
      if (receive !== undefined)
        problems.push(...(await refused(call, () => receive(call, link as Receive[1]))));
      if (receiveForApp !== undefined)
        problems.push(
          ...(await refused(call, () => receiveForApp(call, app as unknown as ReceiveForApp[1]))),
        );
    }
    if (link.events.length > 0) problems.push(`a stranger's call emitted an event: ${link.events[0]?.kind}`);
  });
  return problems;
}

function strangersCalls({ samples }: ConformanceCases): InboundRequest[] {
  const bodies = [...BODIES, ...samples.map((sample) => JSON.stringify(sample) ?? "")];
  const posts = bodies.flatMap((body) => [request({ body }), request({ body, headers: HEADERS })]);
  return [...posts, request({ method: "GET" }), request({ method: "PUT", body: "{}" })];
}

function request(more: {
  method?: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
}): InboundRequest {
  const { method = "POST", body = "", headers = {} } = more;
  return { method, path: "", query: new URLSearchParams(), headers, body: Buffer.from(body) };
}

async function refused(call: InboundRequest, receive: () => Promise<InboundReply>): Promise<string[]> {
  const what = `a stranger's ${call.method} ${Buffer.from(call.body).toString().slice(0, 40)}`;
  try {
    const { status } = await receive();
    return status >= 400 && status < 500 ? [] : [`${what} was answered with ${status}`];
  } catch (error) {
    return [`${what} made it throw: ${String(error)}`];
  }
}

/** Nothing can be stored: a sample must not be confirmed to the messenger, so that the messenger retries it. */
export async function probeUnstored(
  transport: Transport,
  cases: ConformanceCases,
  sample: unknown,
): Promise<string[]> {
  const { receive, receiveForApp } = transport.connector;
  if (receive === undefined && receiveForApp === undefined) return [];
  return withLink(cases, async (link) => {
    let tried = 0;
    link.onEmit(() => {
      tried++;
      return Promise.reject(new Error("the store is unavailable"));
    });
    const answer: unknown = await cases.replay(sample, link).catch(() => undefined);
    const status =
      typeof answer === "object" && answer !== null && "status" in answer ? answer.status : undefined;
    const isConfirmed = typeof status === "number" && status < 300;
    return tried > 0 && isConfirmed
      ? ["a report that could not be stored was confirmed to the messenger"]
      : [];
  });
}

/** What the connector does not know is reported: it is neither dropped in silence nor an alarm. */
export async function probeUnknown(cases: ConformanceCases, payload: unknown): Promise<string[]> {
  return withLink(cases, async (link) => {
    await cases.replay(payload, link);
    const problems = link.unknown.length === 0 ? ["it was not reported"] : [];
    if (link.events.length > 0) problems.push(`it emitted: ${link.events[0]?.kind}`);
    if (link.deadLetters.length > 0) problems.push(`it was refused: ${link.deadLetters[0]?.reason}`);
    return problems;
  });
}

function appOf(link: AnyLink) {
  const channel = { messengerId: "1", businessId: "1", phone: "", link };
  return createTestAppLink({ settings: link.settings, request: link.request, channels: [channel] });
}

async function withLink<T>(cases: ConformanceCases, work: (link: AnyLink) => Promise<T>): Promise<T> {
  const server = await startFaultyServer("500");
  const link = linkTo(server.url, cases);
  try {
    return await work(link);
  } finally {
    link.abort();
    await link.dispose();
    await server.close();
  }
}
