import type { Tier } from "./tier.ts";

/** Fields that an app subscribes to; a change in another field is not told to it. */
export const webhookFields = [
  "account_alerts",
  "account_review_update",
  "account_update",
  "business_capability_update",
  "calls",
  "message_template_quality_update",
  "message_template_status_update",
  "messages",
  "phone_number_name_update",
  "phone_number_quality_update",
  "security",
  "smb_message_echoes",
  "template_category_update",
  "user_id_update",
] as const;

/** An app of a developer; it owns tokens and callbacks. */
export interface App {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  /** The business portfolio of the developer. */
  readonly businessId: string;
  /** "Require app secret": every call must carry an `appsecret_proof`. */
  readonly requireProof: boolean;
  /** Where the dialog may lead back to; empty allows every address. */
  readonly redirectUris: readonly string[];
  /** Where it is called back, unless an account or a number has an address of its own. */
  callbackUrl: string | undefined;
  /** What it wants to be told of. */
  fields: ReadonlySet<string>;
}

/** An app's subscription to an account, perhaps with a callback of its own. */
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
  /** The messaging limit; Meta holds it for the whole portfolio. */
  limit: Tier;
  deleted: boolean;
  /** By app id. */
  readonly subscriptions: Map<string, Subscription>;
}

/** Whether nothing can be sent from the account. */
export function isLocked(waba: Waba): boolean {
  return waba.ban === "DISABLE" || waba.deleted || waba.reviewStatus !== "APPROVED";
}
