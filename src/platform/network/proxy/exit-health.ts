import { hash } from "node:crypto";
import type { ProxyRoute } from "./proxy.ts";

/** What was last wanted behind a proxy. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The state of an exit as this process knows it. */
export interface ExitHealth {
  /** Connections established, and attempts that the proxy failed. */
  readonly opened: number;
  readonly failed: number;
  /** Why the proxy does not work; null: it works, or no connection was needed yet. */
  readonly failure: string | null;
  /** By `Date.now()`; null if `failure` is. */
  readonly failingSince: number | null;
}

export type ExitListener = (health: ExitHealth, target: Target) => void;

interface Entry {
  health: ExitHealth;
  inARow: number;
  readonly listeners: Set<ExitListener>;
}

/** One failure may be an accident of a single connection. */
const FAILURES_IN_A_ROW = 2;
const MAX_ENTRIES = 20_000;
const entries = new Map<string, Entry>();
type Forward = (route: ProxyRoute, failure: string | null, target: Target) => void;
let forward: Forward | null = null;

/** The result of one attempt to reach a target through a proxy; `failure`: the proxy is to blame. */
export function reportExit(route: ProxyRoute, failure: string | null, target: Target): void {
  forward?.(route, failure, target);
  const entry = entryOf(route);
  const { health } = entry;
  entry.inARow = failure === null ? 0 : entry.inARow + 1;
  const isFailing = failure !== null && (health.failure !== null || entry.inARow >= FAILURES_IN_A_ROW);
  const since = isFailing ? (health.failingSince ?? Date.now()) : null;
  entry.health = {
    ...health,
    opened: health.opened + (failure === null ? 1 : 0),
    failed: health.failed + (failure === null ? 0 : 1),
    failure: isFailing ? failure : null,
    failingSince: since,
  };
  if ((health.failure === null) === (entry.health.failure === null)) return;
  for (const listener of [...entry.listeners]) listener(entry.health, target);
}

/** Calls the listener when the exit stops working, and when it works again. Returns a function that ends this. */
export function watchExit(route: ProxyRoute, listener: ExitListener): () => void {
  const entry = entryOf(route);
  entry.listeners.add(listener);
  return () => entry.listeners.delete(listener);
}

export function exitHealth(route: ProxyRoute): ExitHealth {
  return entryOf(route).health;
}

/** Whether anyone listens to this exit. */
export function isWatched(route: ProxyRoute): boolean {
  return entryOf(route).listeners.size > 0;
}

/** In a worker: passes on all results to its parent, which counts them for all its workers. */
export function forwardExits(to: Forward): void {
  forward = to;
}

/**
 * Identifies a proxy with all that lets it fail for one user alone: a wrong password, or a tenant's proxy at an address
 * that is allowed to operators only. So nobody can make a proxy of others look broken by naming it.
 */
export function healthKey({ url, allowNetworks }: ProxyRoute): string {
  return hash("sha256", JSON.stringify([url, allowNetworks === null]));
}

function entryOf(route: ProxyRoute): Entry {
  const key = healthKey(route);
  const known = entries.get(key);
  if (known !== undefined) return known;
  const health = { opened: 0, failed: 0, failure: null, failingSince: null };
  const entry: Entry = { health, inARow: 0, listeners: new Set() };
  entries.set(key, entry);
  if (entries.size > MAX_ENTRIES) forgetOne();
  return entry;
}

function forgetOne(): void {
  for (const [key, { listeners }] of entries) {
    if (listeners.size > 0) continue;
    entries.delete(key);
    return;
  }
}
