// Preloaded (`--import`) into the service's processes and threads: refuses every connection and every look-up that is not
// allowed, and writes down each of them.
import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { isMainThread } from "node:worker_threads";

const { EGRESS_LOG: file = "", EGRESS_ALLOWED: allowed = "" } = process.env;
/** Ports on this machine: of the proxy, and of the CRM. `loopback`: any of them. */
const ports = new Set(allowed.split(",").map(Number));
const [, script = "", command = ""] = process.argv;
const isService = /src\/cli\/main\.ts$/.test(script) && command === "start";
const isWorker = /src\/.*worker[^/]*\.ts$/.test(script);

function note(kind: string, what: string): void {
  appendFileSync(file, `${JSON.stringify({ kind, what, script, isMainThread })}\n`);
}

function refused(kind: string, what: string): NodeJS.ErrnoException {
  note(kind, what);
  return Object.assign(new Error(`refused: ${kind} ${what}`), { code: "ECONNREFUSED" });
}

interface Target {
  /** Null in what `node:http` passes on. */
  readonly path?: string | null;
  readonly host?: string;
  readonly port?: number | string;
}

/** Of `connect(options)`, `connect(path)`, `connect(port, host)`, and what `net.connect` makes of them. */
function targetOf([first, second]: unknown[]): Target {
  if (Array.isArray(first)) return targetOf(first);
  if (typeof first === "object") return first as Target;
  if (typeof first === "string" && Number.isNaN(Number(first))) return { path: first };
  return { port: first as number, ...(typeof second === "string" ? { host: second } : {}) };
}

function guardConnections(): void {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
    const { path, host, port } = targetOf(args);
    const isOwn = allowed === "loopback" ? isLoopback(host) : isLocal(host) && ports.has(Number(port));
    if (typeof path === "string" || isOwn) return connect.apply(this, args as never);
    process.nextTick(() => this.destroy(refused("connection", `${host}:${port}`)));
    return this;
  } as typeof connect;
}

function isLoopback(host: string | undefined): boolean {
  return host === undefined || host === "localhost" || host === "::1" || /^127\./.test(host);
}

/** Needs no look-up. A CRM of a walk is at `localhost`. */
function isLocal(host: string | undefined): boolean {
  return host === undefined || host === "localhost" || net.isIP(host) !== 0;
}

function guardLookups(): void {
  const { lookup } = dns;
  dns.lookup = function guarded(host: string, ...rest: unknown[]) {
    if (isLocal(host)) return (lookup as (...args: unknown[]) => void)(host, ...rest);
    (rest.at(-1) as (error: Error) => void)(refused("look-up", host));
  } as typeof lookup;
  const refuse = async (host: string, ...rest: unknown[]): Promise<never> => {
    const error = refused("look-up", host);
    const callback = rest.at(-1);
    if (typeof callback !== "function") throw error;
    return callback(error) as never;
  };
  for (const owner of [
    dns.promises,
    dns.Resolver.prototype,
    dns.promises.Resolver.prototype,
    dns,
  ] as object[])
    for (const name of Object.getOwnPropertyNames(owner))
      if (/^(resolve|reverse|lookupService)/.test(name))
        Object.defineProperty(owner, name, { value: refuse });
  const { lookup: promised } = dns.promises;
  Object.defineProperty(dns.promises, "lookup", {
    value: (host: string, options: dns.LookupOptions) =>
      isLocal(host) ? promised(host, options) : refuse(host),
  });
}

/** The service's workers do not inherit its environment. */
function guardChildren(): void {
  const { fork } = childProcess;
  childProcess.fork = ((path: string, args: readonly string[], options: childProcess.ForkOptions) =>
    fork(path, args, {
      ...options,
      execArgv: [...(options.execArgv ?? []), `--import=${import.meta.url}`],
      env: { ...options.env, EGRESS_LOG: file, EGRESS_ALLOWED: allowed },
    })) as typeof fork;
}

if (file !== "" && (isService || isWorker)) {
  note("started", script);
  guardConnections();
  guardLookups();
  guardChildren();
  dgram.Socket.prototype.send = function refuse(): never {
    throw refused("datagram", "");
  };
  // For `import { lookup }` and the like.
  syncBuiltinESMExports();
}
