import type { Transport } from "../connector.ts";
import { startFaultyServer } from "./faults.ts";
import { linkTo } from "./link.ts";
import type { ConformanceCases } from "./probes.ts";

/** Deeper than any messenger nests, and more items than any message has. */
const DEPTH = 1_000;
const ITEMS = 12_000;
/** The most events of one call: Meta's calls report up to a thousand messages, each with a contact and statuses. */
const MAX_EVENTS = 3_000;

/**
 * Calls of a verified caller that no messenger sends, but a tenant that knows the secret can: nested deeply, or with one
 * of their lists swollen. They must be acknowledged, so that they are not repeated, and leave a trace: a bounded number
 * of events, or a dead letter.
 */
export async function probeHostile(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const { receive, receiveForApp } = transport.connector;
  if (receive === undefined && receiveForApp === undefined) return [];
  const problems: string[] = [];
  for (const [what, body] of hostileBodies(cases.samples)) {
    const problem = await problemOf(cases, body);
    if (problem !== null) problems.push(`${what}: ${problem}`);
  }
  return problems;
}

async function problemOf(cases: ConformanceCases, body: unknown): Promise<string | null> {
  const server = await startFaultyServer("500");
  const link = linkTo(server.url, cases);
  try {
    const reply: unknown = await cases.replay(body, link);
    const status = typeof reply === "object" && reply !== null && "status" in reply ? reply.status : 200;
    if (status !== 200) return `the call was answered with ${String(status)}`;
    if (link.events.length > MAX_EVENTS) return `${link.events.length} events`;
    const traces = link.events.length + link.deadLetters.length + link.unknown.length;
    return traces === 0 ? "the call left no trace" : null;
  } catch (error) {
    return `the call made it throw: ${String(error)}`;
  } finally {
    link.abort();
    await link.dispose();
    await server.close();
  }
}

function* hostileBodies(samples: readonly unknown[]): Iterable<readonly [string, unknown]> {
  const [first] = samples;
  if (typeof first === "object" && first !== null) {
    yield ["nested lists", { ...first, nested: nested((inner) => [inner]) }];
    yield ["nested objects", { ...first, nested: nested((inner) => ({ inner })) }];
  }
  const seen = new Set<string>();
  for (const sample of samples)
    for (const path of listsIn(sample, [])) {
      const name = path.join(".").replace(/\d+/g, "0");
      if (seen.has(name)) continue;
      seen.add(name);
      yield [`${ITEMS} items in ${name}`, swollen(sample, path)];
    }
}

function nested(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let depth = 0; depth < DEPTH; depth++) value = wrap(value);
  return value;
}

function listsIn(value: unknown, path: readonly string[]): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, each]) => listsIn(each, [...path, key]));
  return Array.isArray(value) ? [[...path], ...inner] : inner;
}

function swollen(value: unknown, [key, ...rest]: readonly string[]): unknown {
  // The items of the sample name the channel.
  if (key === undefined) return [...(value as unknown[]), ...Array.from({ length: ITEMS }, () => ({}))];
  if (Array.isArray(value)) return value.map((each, at) => (String(at) === key ? swollen(each, rest) : each));
  return { ...(value as object), [key]: swollen((value as Readonly<Record<string, unknown>>)[key], rest) };
}
