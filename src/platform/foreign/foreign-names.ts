import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { CONNECT_TIMEOUT_MS } from "../network/connection-options.ts";
import { createSerialQueue } from "../queue/serial-queue.ts";

/** For one server; the second try waits twice as long. */
const RESOLVER_OPTIONS = { timeout: 2_000, tries: 2 };
/**
 * The name servers do not know the name, refuse this kind of name (such as names without a dot), or there are none.
 */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "EREFUSED", "ESERVFAIL", "ECONNREFUSED"]);

/**
 * Resolves a name that a client supplied, using the name servers (default: the system's). The system's resolver
 * occupies one of few threads until it ends, whatever the caller's timeout; a dozen names without a response would
 * block everyone, including messengers. Names in /etc/hosts are resolved by the system first, as operators expect.
 * Other names that only the system knows, such as those in search domains, are resolved one at a time.
 */
export async function resolveForeignName(
  host: string,
  servers?: readonly string[],
  hosts = "/etc/hosts",
): Promise<LookupAddress[]> {
  if (host === "localhost" || (await isIn(hosts, host))) return lookup(host, { all: true });
  const resolver = new Resolver(RESOLVER_OPTIONS);
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
  return lookUpBySystem(host);
}

async function isIn(hosts: string, host: string): Promise<boolean> {
  const lines = (await readFile(hosts, "utf8").catch(() => "")).toLowerCase().split("\n");
  return lines.some((line) => line.replace(/#.*/, "").trim().split(/\s+/).includes(host, 1));
}

const serialQueue = createSerialQueue();

function lookUpBySystem(host: string): Promise<LookupAddress[]> {
  const until = performance.now() + CONNECT_TIMEOUT_MS;
  return serialQueue(async () => {
    if (performance.now() > until) throw new Error(`The name ${host} could not be resolved in time`);
    return lookup(host, { all: true });
  });
}
