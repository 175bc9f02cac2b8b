import type { Tier } from "./tier.ts";

/** Fields that an app subscribes to; changes of other fields are not reported to it. */
export const webhookFields = [
  "account_alerts",
  "account_review_update",
  "account_update",
  "business_capability_update",
  "calls",
  "history",
  "message_template_quality_update",
  "message_template_status_update",
  "messages",
  "phone_number_name_update",
  "phone_number_quality_update",
  "security",
  "smb_app_state_sync",
  "smb_message_echoes",
  "template_category_update",
  "user_id_update",
] as const;

/** A developer's app; it owns tokens and callbacks. */
export interface App {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  /** The business portfolio of the developer. */
  readonly businessId: string;
  /** "Require app secret": every call must have an `appsecret_proof`. */
  readonly requireProof: boolean;
  /** Allowed redirect addresses of the dialog; empty: any. */
  readonly redirectUris: readonly string[];
  /** The callback address, unless an account or a number has its own. */
  callbackUrl: string | undefined;
  /** The fields it subscribes to. */
  fields: ReadonlySet<string>;
}

/** An app's subscription to an account, possibly with its own callback. */
export interface Subscription {
  overrideUrl: string | undefined;
}

export type ReviewStatus = "PENDING" | "APPROVED" | "REJECTED" | "DEFERRED";
export type BanState = "DISABLE" | "SCHEDULE_FOR_DISABLE" | "REINSTATE";

/** A WhatsApp Business Account. */
export interface Waba {
  readonly id: string;
  name: string;
  /** The business portfolio that owns it. */
  readonly businessId: string;
  readonly namespace: string;
  reviewStatus: ReviewStatus;
  ban: BanState | undefined;
  /** e.g. `RESTRICTED_BIZ_INITIATED_MESSAGING` */
  restrictions: readonly string[];
  /** The messaging limit; at Meta, of the whole portfolio. */
  limit: Tier;
  deleted: boolean;
  /** By app id. */
  readonly subscriptions: Map<string, Subscription>;
}

/** Whether the account is locked for sending. */
export function isLocked(waba: Waba): boolean {
  return waba.ban === "DISABLE" || waba.deleted || waba.reviewStatus !== "APPROVED";
}
