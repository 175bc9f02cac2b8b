import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { CONNECT_TIMEOUT_MS } from "./connection-options.ts";
import { createOrder } from "./in-order.ts";

/** Of one server; the second try waits twice as long. */
const PATIENCE = { timeout: 2_000, tries: 2 };
/** The name servers know of no such name, do not care for its kind (as some for names without a dot), or there are none. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "EREFUSED", "ESERVFAIL", "ECONNREFUSED"]);

/**
 * Addresses of a name that a client gave, by the name servers (default: the system's). The system's own look-up takes
 * one of few threads until it ends, whatever the caller's patience: a dozen names that are never answered would keep
 * everybody waiting, messengers too. Names in /etc/hosts it answers at once, before any server, as operators expect; what
 * else only the system knows, such as search domains, it is asked for one name at a time.
 */
export async function lookUpForeign(
  host: string,
  servers?: readonly string[],
  hosts = "/etc/hosts",
): Promise<LookupAddress[]> {
  if (host === "localhost" || (await isIn(hosts, host))) return lookup(host, { all: true });
  const resolver = new Resolver(PATIENCE);
  if (servers !== undefined) resolver.setServers(servers);
  const answers = await Promise.allSettled([
    resolver.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 }))),
  ]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found;
  const failures = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  const failure = failures.find((each: NodeJS.ErrnoException) => !UNKNOWN.has(each.code ?? ""));
  if (failure !== undefined) throw failure;
  return askSystem(host);
}

async function isIn(hosts: string, host: string): Promise<boolean> {
  const lines = (await readFile(hosts, "utf8").catch(() => "")).toLowerCase().split("\n");
  return lines.some((line) => line.replace(/#.*/, "").trim().split(/\s+/).includes(host, 1));
}

const inOrder = createOrder();

function askSystem(host: string): Promise<LookupAddress[]> {
  const until = performance.now() + CONNECT_TIMEOUT_MS;
  return inOrder(async () => {
    if (performance.now() > until) throw new Error(`The address of ${host} could not be looked up in time`);
    return lookup(host, { all: true });
  });
}
