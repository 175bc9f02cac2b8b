import type { Dispatcher as HttpDispatcher } from "undici";
import type { Core } from "../../core/core.ts";
import type { Batch } from "../../core/delivery/request/batch.ts";
import { type Posted, sendBatch, sendTest } from "../../core/delivery/request/deliver.ts";
import { isSuccess, labelOf } from "../../core/delivery/request/policy.ts";
import type { Address } from "../../core/delivery/request/request.ts";
import { newId } from "../../platform/ids.ts";

export type PostResult = "ok" | "refused" | "failed";

export interface PosterOptions {
  readonly dispatcher: HttpDispatcher;
  readonly timeoutMs: number;
  onPost?(result: PostResult, durationMs: number, to: Address, posted: Posted, attempt: number): void;
}

/** One request for a batch, or, where a receiver accepts single events, one for each part that had the same outcome. */
export type Parts = readonly [Posted, ...Posted[]];

/** Sends requests to receivers. Neither function throws because of a receiver. */
export interface BatchPoster {
  /** `attempt`: its number, for traces; default: 1. */
  post(to: Address, batch: Batch, attempt?: number): Promise<Parts>;
  /** Asks whether the receiver accepts anything. */
  test(to: Address): Promise<Pick<Posted, "answer" | "attempt">>;
}

export function createPoster(core: Core, options: PosterOptions): BatchPoster {
  return {
    async post(to, batch, number = 1) {
      const posted = await sendBatch(core, options, { to, batch, purpose: "delivery" });
      const { answer, attempt } = posted;
      const result = isSuccess(answer) ? "ok" : answer.status === null ? "failed" : "refused";
      const { accountId, endpointId: subject } = to;
      const label = result === "ok" ? result : labelOf(answer);
      const value = attempt.durationMs;
      core.statistics.add({ accountId, kind: "deliveries", subject, label, value });
      options.onPost?.(result, value, to, posted, number);
      return [posted];
    },
    test: (to) =>
      sendTest(core, options, { to, deliveryId: `msg_${newId()}`, body: '{"test":true}', kinds: [] }),
  };
}
