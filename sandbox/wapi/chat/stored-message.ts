/** A message as stored for both sides. */
export interface StoredMessage {
  readonly id: string;
  /** `out`: sent over the API; `echo`: from the business's own phone. */
  readonly direction: "in" | "out" | "echo";
  readonly type: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The object named like the type. */
  content: unknown;
  /** Id of the quoted message. */
  readonly contextId?: string;
  /** `biz_opaque_callback_data`, which is returned in the statuses. */
  readonly opaque?: string;
  readonly pricingCategory?: string;
  /** Reported so far, in order. */
  readonly statuses: StatusName[];
  /** The business has read it (the blue ticks of an inbound message). */
  readByBusiness?: boolean;
}

/** `played` (a voice message) and `deleted` are sent only on request. */
export type StatusName = "sent" | "delivered" | "read" | "failed" | "played" | "deleted";
