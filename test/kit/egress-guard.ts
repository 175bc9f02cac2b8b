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
/** Ports on this machine: of the proxy, and of the CRM. */
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
  readonly path?: string;
  readonly host?: string;
  readonly port?: number | string;
}

function guardConnections(): void {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
    const [first] = args;
    const { path, host, port } = (Array.isArray(first) ? first[0] : first) as Target;
    const isOwn = net.isIP(host ?? "") !== 0 && ports.has(Number(port));
    if (typeof first === "object" && (path !== undefined || isOwn)) return connect.apply(this, args as never);
    process.nextTick(() => this.destroy(refused("connection", `${host}:${port}`)));
    return this;
  } as typeof connect;
}

function guardLookups(): void {
  const { lookup } = dns;
  dns.lookup = function guarded(host: string, ...rest: unknown[]) {
    if (net.isIP(host) !== 0 || host === undefined)
      return (lookup as (...args: unknown[]) => void)(host, ...rest);
    (rest.at(-1) as (error: Error) => void)(refused("look-up", host));
  } as typeof lookup;
  const refuse = (host: string): never => {
    throw refused("look-up", host);
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
  Object.defineProperty(dns.promises, "lookup", { value: refuse });
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
