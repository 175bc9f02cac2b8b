import type { FastifyReply } from "fastify";
import { AppError } from "../../core/errors.ts";
import { countDescriptors } from "../../platform/file/descriptors.ts";
import type { HttpMetrics } from "../metrics.ts";

/** How many requests that stay open a node takes at a time. */
export interface PlaceLimits {
  /** Of one owner, such as the session of a page. Beyond it the owner's oldest request ends. */
  readonly ofOwner: number;
  /** Of one group, such as an account; never more than half of the node. Beyond it requests are rejected. */
  readonly ofGroup: number;
  /**
   * Never more than a quarter of the file descriptors. Beyond it the oldest request of the largest group ends, in
   * favour of a group that has fewer; other requests are rejected.
   */
  readonly ofNode: number;
}

/** Streams, and the same number of long polls; an operator may set others. */
export const PAGE_LIMITS: PlaceLimits = { ofOwner: 4, ofGroup: 1_000, ofNode: 4_000 };

export interface OpenRequest {
  readonly owner: string;
  readonly group: string;
  /** Ends the request, which has lost its place. */
  end(): void;
}

interface PlacesOptions {
  /** In metrics, such as "stream". */
  readonly kind: string;
  readonly limits: PlaceLimits;
  readonly metrics: Pick<HttpMetrics, "openRequests" | "refusedRequests">;
}

/** The places of requests that stay open: each needs a file descriptor, and memory of what it has not taken. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #kind: string;
  readonly #metrics: PlacesOptions["metrics"];
  /** Oldest first, as in the groups and owners. */
  readonly #taken = new Set<OpenRequest>();
  readonly #groups = new Map<string, Set<OpenRequest>>();
  readonly #owners = new Map<string, Set<OpenRequest>>();

  constructor({ kind, limits, metrics }: PlacesOptions) {
    const ofNode = Math.min(
      limits.ofNode,
      Math.max(4, Math.floor((countDescriptors()?.limit ?? 65_536) / 4)),
    );
    this.#limits = {
      ...limits,
      ofNode,
      ofGroup: Math.min(limits.ofGroup, Math.max(1, Math.floor(ofNode / 2))),
    };
    this.#kind = kind;
    this.#metrics = metrics;
  }

  /**
   * Takes a place and returns the function that frees it, which may be called again. Throws TOO_MANY_REQUESTS if the
   * group has all of its places, and UNAVAILABLE if the node has none.
   */
  take(request: OpenRequest): () => void {
    const { owner, group } = request;
    if (this.#sizeOf(this.#owners, owner) >= this.#limits.ofOwner)
      this.#endOldest(this.#owners.get(owner), "session");
    if (this.#sizeOf(this.#groups, group) >= this.#limits.ofGroup) throw this.#refusal("account");
    if (this.#taken.size >= this.#limits.ofNode) this.#makeRoom(group);
    this.#taken.add(request);
    for (const [sets, key] of this.#setsOf(request)) sets.set(key, (sets.get(key) ?? new Set()).add(request));
    this.#metrics.openRequests.inc({ kind: this.#kind });
    return () => this.#free(request);
  }

  #makeRoom(group: string): void {
    const [largest] = [...this.#groups.values()].toSorted((a, b) => b.size - a.size);
    if (largest === undefined || largest.size <= this.#sizeOf(this.#groups, group) + 1)
      throw this.#refusal("node");
    this.#endOldest(largest, "node");
  }

  #endOldest(requests: ReadonlySet<OpenRequest> | undefined, scope: string): void {
    const [oldest] = requests ?? [];
    if (oldest === undefined) return;
    this.#count(scope);
    this.#free(oldest);
    oldest.end();
  }

  #free(request: OpenRequest): void {
    if (!this.#taken.delete(request)) return;
    for (const [sets, key] of this.#setsOf(request)) {
      const set = sets.get(key);
      set?.delete(request);
      if (set?.size === 0) sets.delete(key);
    }
    this.#metrics.openRequests.dec({ kind: this.#kind });
  }

  #setsOf({ owner, group }: OpenRequest) {
    return [
      [this.#owners, owner],
      [this.#groups, group],
    ] as const;
  }

  #sizeOf(sets: ReadonlyMap<string, ReadonlySet<OpenRequest>>, key: string): number {
    return sets.get(key)?.size ?? 0;
  }

  #refusal(scope: "account" | "node"): AppError {
    this.#count(scope);
    return scope === "account"
      ? new AppError("TOO_MANY_REQUESTS", {
          description: "Too many requests of the account are open; close pages, or repeat the request later",
          retryAfter: 10,
        })
      : new AppError("UNAVAILABLE", {
          description: "Too many requests are open on this node; repeat the request later",
          retryAfter: 10,
        });
  }

  #count(scope: string): void {
    this.#metrics.refusedRequests.inc({ kind: this.#kind, scope });
  }
}

/** As `take`; a refused client loses its connection, which would keep its file descriptor while it is idle. */
export function takePlace(reply: FastifyReply, places: Places, request: OpenRequest): () => void {
  try {
    return places.take(request);
  } catch (error) {
    closeAfter(reply);
    throw error;
  }
}

/** Closes the connection after the response. */
export function closeAfter(reply: FastifyReply): void {
  reply.header("connection", "close");
}
