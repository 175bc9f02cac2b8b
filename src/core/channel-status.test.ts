import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALL_STATES,
  ALL_STATUSES,
  asStatus,
  type ChannelCondition,
  type ChannelStatus,
  type ChannelTrigger,
  nextStatus,
  stateOf,
} from "./channel-status.ts";

/** A status in short: "disabled/qridle", "active". */
const shown = ({ status, reason }: ChannelStatus): string =>
  reason === null ? status : `${status}/${reason}`;

function parsed(text: string): ChannelStatus {
  const [status = "", reason = null] = text.split("/");
  return asStatus(status, reason);
}

/** The interface's table "Allowed reason per status", with the deprecated state of each pair. */
const TABLE = {
  active: "active",
  init: "init",
  "init/wait_for_password": "waitForPassword",
  "init/wait_for_code": "init",
  "init/wait_for_passkey": "waitForPasskey",
  "init/qr": "qr",
  "init/sync": "init",
  "init/proxy": "init",
  disabled: "disabled",
  "disabled/blocked": "blocked",
  "disabled/not_enough_money": "notEnoughMoney",
  "disabled/rejected": "rejected",
  "disabled/unauthorized": "unauthorized",
  "disabled/foreignphone": "foreignphone",
  "disabled/qridle": "qridle",
  "disabled/openelsewhere": "openElsewhere",
} as const;
type Shown = keyof typeof TABLE;
const NAMES = Object.keys(TABLE) as Shown[];

describe("the table of statuses", () => {
  it("is the interface's", () => expect(ALL_STATUSES.map(shown)).toEqual(NAMES));

  it.each(NAMES)("state of %s", (name) => expect(stateOf(parsed(name))).toBe(TABLE[name]));

  it.each(NAMES)("state of %s with its phone unavailable: only an active channel reports it", (name) => {
    expect(stateOf(parsed(name), true)).toBe(name === "active" ? "phoneUnavailable" : TABLE[name]);
  });

  it("has all states of the interface", () => {
    expect(new Set(ALL_STATES)).toEqual(new Set([...Object.values(TABLE), "phoneUnavailable"]));
  });

  it("every pair can be parsed from its two columns", () => {
    for (const each of ALL_STATUSES) expect(asStatus(each.status, each.reason)).toEqual(each);
  });

  it.each([
    ["active", "qr"],
    ["init", "unauthorized"],
    ["disabled", "sync"],
    ["deleted", null],
    ["", null],
  ])("has no %s/%s", (status, reason) => {
    expect(() => asStatus(status, reason)).toThrow(`Not a channel status: ${status}/${reason}`);
  });
});

/** Every trigger, by a short name. The channels below were linked to account 7 before. */
const TRIGGERS = {
  opened: { kind: "opened" },
  linked: { kind: "linked", messengerId: "7", linkedElsewhere: false },
  "linked by another phone": { kind: "linked", messengerId: "8", linkedElsewhere: false },
  "linked elsewhere as well": { kind: "linked", messengerId: "7", linkedElsewhere: true },
  qr: { kind: "progress", reason: "qr" },
  sync: { kind: "progress", reason: "sync" },
  wait_for_password: { kind: "progress", reason: "wait_for_password" },
  wait_for_code: { kind: "progress", reason: "wait_for_code" },
  unauthorized: { kind: "ended", reason: "unauthorized" },
  qridle: { kind: "ended", reason: "qridle" },
  openelsewhere: { kind: "ended", reason: "openelsewhere" },
  foreignphone: { kind: "ended", reason: "foreignphone" },
  blocked: { kind: "ended", reason: "blocked" },
  rejected: { kind: "ended", reason: "rejected" },
  lostForLong: { kind: "lostForLong" },
  proxyFailed: { kind: "proxyFailed" },
  proxyWorks: { kind: "proxyWorks" },
  reinit: { kind: "reinit" },
  unpaid: { kind: "unpaid" },
  paid: { kind: "paid" },
} as const satisfies Record<string, ChannelTrigger>;
type TriggerName = keyof typeof TRIGGERS;

/** Where a trigger leads from a live channel (active or init); "=" stays. */
const LIVE: Record<TriggerName, Shown | "="> = {
  opened: "=",
  linked: "active",
  "linked by another phone": "disabled/foreignphone",
  "linked elsewhere as well": "disabled/openelsewhere",
  qr: "init/qr",
  sync: "init/sync",
  wait_for_password: "init/wait_for_password",
  wait_for_code: "init/wait_for_code",
  unauthorized: "disabled/unauthorized",
  qridle: "disabled/qridle",
  openelsewhere: "disabled/openelsewhere",
  foreignphone: "disabled/foreignphone",
  blocked: "disabled/blocked",
  rejected: "disabled/rejected",
  lostForLong: "=",
  proxyFailed: "init/proxy",
  proxyWorks: "=",
  reinit: "init",
  unpaid: "disabled/not_enough_money",
  paid: "=",
};
/** What differs from that. A disabled channel hears of nothing but what is listed for it. */
const OTHERWISE: Partial<Record<Shown, Partial<Record<TriggerName, Shown>>>> = {
  active: { lostForLong: "init" },
  "init/proxy": { proxyWorks: "init" },
  "disabled/not_enough_money": { paid: "init" },
  "disabled/blocked": {
    linked: "active",
    "linked by another phone": "disabled/foreignphone",
    "linked elsewhere as well": "disabled/openelsewhere",
  },
  "disabled/rejected": {
    linked: "active",
    "linked by another phone": "disabled/foreignphone",
    "linked elsewhere as well": "disabled/openelsewhere",
  },
};

function expectedNext(from: Shown, trigger: TriggerName): Shown {
  const special = OTHERWISE[from]?.[trigger];
  if (special !== undefined) return special;
  const isAccepted = !from.startsWith("disabled") || trigger === "reinit" || trigger === "unpaid";
  const next = isAccepted ? LIVE[trigger] : "=";
  return next === "=" ? from : next;
}

const linkedBefore = (current: ChannelStatus): ChannelCondition => ({
  current,
  unpaid: false,
  messengerId: "7",
});

describe("nextStatus", () => {
  const cases = NAMES.flatMap((from) =>
    (Object.keys(TRIGGERS) as TriggerName[]).map((name) => [from, name, expectedNext(from, name)] as const),
  );
  it.each(cases)("%s, %s: %s", (from, name, next) => {
    expect(shown(nextStatus(linkedBefore(parsed(from)), TRIGGERS[name]))).toBe(next);
  });

  it("accepts any account at the first link", () => {
    const condition = { ...linkedBefore(parsed("init/qr")), messengerId: null };
    expect(shown(nextStatus(condition, TRIGGERS["linked by another phone"]))).toBe("active");
  });

  it("reports a foreign phone before a second link", () => {
    const both = { kind: "linked", messengerId: "8", linkedElsewhere: true } as const;
    expect(shown(nextStatus(linkedBefore(parsed("init/qr")), both))).toBe("disabled/foreignphone");
  });

  it.each(NAMES)("an unpaid channel (%s) stays so whatever happens, and starts again when paid", (from) => {
    const condition = { ...linkedBefore(parsed(from)), unpaid: true };
    for (const [name, trigger] of Object.entries(TRIGGERS)) {
      const next = name === "paid" ? "init" : "disabled/not_enough_money";
      expect(shown(nextStatus(condition, trigger)), name).toBe(next);
    }
  });

  it("never leaves the table, changes nothing the second time, and can always be started again", () => {
    const triggers = fc.array(fc.constantFrom(...Object.values<ChannelTrigger>(TRIGGERS)), { maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...ALL_STATUSES), triggers, (start, path) => {
        let unpaid = false;
        let current = start;
        const step = (trigger: ChannelTrigger): void => {
          current = nextStatus({ current, unpaid, messengerId: "7" }, trigger);
          unpaid = trigger.kind === "unpaid" || (unpaid && trigger.kind !== "paid");
          expect(ALL_STATUSES).toContainEqual(current);
        };
        for (const trigger of path) {
          step(trigger);
          const once = current;
          step(trigger);
          expect(current).toEqual(once);
        }
        for (const trigger of [TRIGGERS.paid, TRIGGERS.reinit, TRIGGERS.qr, TRIGGERS.linked]) step(trigger);
        expect(shown(current)).toBe("active");
      }),
    );
  });
});
