/** What a channel that is being linked waits for. */
type InitReason = "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy";

/** A channel's status with its reason, as in the interface's table "Allowed reason per status". */
export type ChannelStatus =
  | { readonly status: "active"; readonly reason: null }
  | { readonly status: "init"; readonly reason: InitReason | null }
  | {
      readonly status: "disabled";
      readonly reason:
        | "blocked"
        | "not_enough_money"
        | "rejected"
        | "unauthorized"
        | "foreignphone"
        | "qridle"
        | "openelsewhere"
        | null;
    };

/**
 * Everything that a channel's status depends on. `unpaid` is the operator's mark and takes precedence over every
 * other cause.
 */
export interface ChannelCondition {
  readonly current: ChannelStatus;
  readonly unpaid: boolean;
  /** The messenger account to which the channel was linked before, if any. */
  readonly messengerId: string | null;
}

/** Events that change a channel's status: session states (from `LinkState`), and actions of clients and operators. */
export type ChannelTrigger =
  | { readonly kind: "opened" }
  | { readonly kind: "linked"; readonly messengerId: string; readonly linkedElsewhere: boolean }
  | { readonly kind: "progress"; readonly reason: InitReason }
  | {
      readonly kind: "ended";
      readonly reason: "unauthorized" | "qridle" | "openelsewhere" | "foreignphone" | "blocked" | "rejected";
    }
  | { readonly kind: "lostForLong" }
  /** The directory has to be asked before it is linked, and cannot be. */
  | { readonly kind: "linkWaits" }
  /** Its proxy does not work, and works again. */
  | { readonly kind: "proxyFailed" }
  | { readonly kind: "proxyWorks" }
  | { readonly kind: "reinit" }
  | { readonly kind: "unpaid" }
  | { readonly kind: "paid" };

const ACTIVE: ChannelStatus = { status: "active", reason: null };
const STARTING: ChannelStatus = { status: "init", reason: null };
const UNPAID: ChannelStatus = { status: "disabled", reason: "not_enough_money" };

/**
 * The next status. Pure. A disabled channel changes only by `reinit`, by `paid`, or if its messenger reports that a
 * block has ended (`linked` while blocked or rejected).
 */
export function nextStatus(condition: ChannelCondition, trigger: ChannelTrigger): ChannelStatus {
  if (trigger.kind === "unpaid") return UNPAID;
  if (trigger.kind === "paid")
    return condition.unpaid || isUnpaid(condition.current) ? STARTING : condition.current;
  if (condition.unpaid) return UNPAID;
  if (trigger.kind === "reinit") return STARTING;
  if (condition.current.status === "disabled" && !canReturn(condition.current, trigger))
    return condition.current;
  switch (trigger.kind) {
    case "opened":
      return condition.current;
    case "linked":
      return linked(condition, trigger);
    case "progress":
      return { status: "init", reason: trigger.reason };
    case "ended":
      return { status: "disabled", reason: trigger.reason };
    case "lostForLong":
      return condition.current.status === "active" ? STARTING : condition.current;
    case "linkWaits":
      return condition.current.status === "init" ? STARTING : condition.current;
    case "proxyFailed":
      return { status: "init", reason: "proxy" };
    case "proxyWorks":
      return condition.current.reason === "proxy" ? STARTING : condition.current;
  }
}

function linked(
  { messengerId }: ChannelCondition,
  trigger: { messengerId: string; linkedElsewhere: boolean },
): ChannelStatus {
  if (messengerId !== null && messengerId !== trigger.messengerId)
    return { status: "disabled", reason: "foreignphone" };
  return trigger.linkedElsewhere ? { status: "disabled", reason: "openelsewhere" } : ACTIVE;
}

function canReturn(current: ChannelStatus, trigger: ChannelTrigger): boolean {
  return trigger.kind === "linked" && (current.reason === "blocked" || current.reason === "rejected");
}

function isUnpaid(status: ChannelStatus): boolean {
  return status.reason === "not_enough_money";
}

/** The deprecated `state` of a channel. `phoneUnavailable` applies while the channel is active. */
export function stateOf({ status, reason }: ChannelStatus, phoneUnavailable = false): string {
  if (status === "active") return phoneUnavailable ? PHONE_UNAVAILABLE : "active";
  if (reason === null) return status;
  return STATE_OF_REASON[reason];
}

const PHONE_UNAVAILABLE = "phoneUnavailable";

const STATE_OF_REASON = {
  wait_for_password: "waitForPassword",
  wait_for_code: "init",
  wait_for_passkey: "waitForPasskey",
  qr: "qr",
  sync: "init",
  proxy: "init",
  blocked: "blocked",
  not_enough_money: "notEnoughMoney",
  rejected: "rejected",
  unauthorized: "unauthorized",
  foreignphone: "foreignphone",
  qridle: "qridle",
  openelsewhere: "openElsewhere",
} as const;

/** Converts the two columns. A pair that the interface does not allow is a bug in our own data. */
export function asStatus(status: string, reason: string | null): ChannelStatus {
  const found = ALL_STATUSES.find((each) => each.status === status && each.reason === reason);
  if (found === undefined) throw new Error(`Not a channel status: ${status}/${reason}`);
  return found;
}

/** Every pair that the interface allows. */
export const ALL_STATUSES: readonly ChannelStatus[] = [
  ACTIVE,
  ...([null, "wait_for_password", "wait_for_code", "wait_for_passkey", "qr", "sync", "proxy"] as const).map(
    (reason) => ({ status: "init", reason }) as const,
  ),
  ...(
    [
      null,
      "blocked",
      "not_enough_money",
      "rejected",
      "unauthorized",
      "foreignphone",
      "qridle",
      "openelsewhere",
    ] as const
  ).map((reason) => ({ status: "disabled", reason }) as const),
];

/** Every status, whatever its reason. */
export const STATUSES: readonly ChannelStatus["status"][] = [
  ...new Set(ALL_STATUSES.map(({ status }) => status)),
];

/** Every value of the deprecated `state`. */
export const ALL_STATES: readonly string[] = [
  ...new Set(ALL_STATUSES.map((status) => stateOf(status))),
  PHONE_UNAVAILABLE,
];
