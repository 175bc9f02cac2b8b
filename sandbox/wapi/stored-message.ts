/** A message as both sides keep it. */
export interface StoredMessage {
  readonly id: string;
  /** `out` came over the API, `echo` from the business's own phone. */
  readonly direction: "in" | "out" | "echo";
  readonly type: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The object named like the type. */
  content: unknown;
  /** What is quoted. */
  readonly contextId?: string;
  /** `biz_opaque_callback_data`, echoed in the statuses. */
  readonly opaque?: string;
  readonly pricingCategory?: string;
  /** Told so far, in the order of telling. */
  readonly statuses: StatusName[];
  /** The business has seen it (the blue ticks of an inbound message). */
  readByBusiness?: boolean;
}

/** `played` (a voice message) and `deleted` come by hand only. */
export type StatusName = "sent" | "delivered" | "read" | "failed" | "played" | "deleted";
