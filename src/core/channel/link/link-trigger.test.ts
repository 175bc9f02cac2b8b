import { expect, test } from "vitest";
import type { LinkState } from "../../transport/events.ts";
import { triggerOf } from "./link-trigger.ts";

const PROFILE = { messengerId: "7", name: "Shop", phone: "79001112233" };

const progress = (reason: "wait_for_password" | "wait_for_code" | "sync"): [string, LinkState, object] => [
  reason,
  { status: "init", reason },
  { trigger: { kind: "progress", reason }, details: {} },
];
const ended = (
  reason: "unauthorized" | "qridle" | "openelsewhere" | "foreignphone" | "blocked" | "rejected",
): [string, LinkState, object] => [
  reason,
  { status: "disabled", reason },
  { trigger: { kind: "ended", reason }, details: {} },
];

test.each<[string, LinkState, object | null]>([
  [
    "active",
    { status: "active", profile: PROFILE },
    { trigger: { kind: "linked", messengerId: "7", linkedElsewhere: false }, details: { profile: PROFILE } },
  ],
  [
    "active with its phone away",
    { status: "active", profile: PROFILE, phoneUnavailable: true },
    {
      trigger: { kind: "linked", messengerId: "7", linkedElsewhere: false },
      details: { profile: PROFILE, phoneUnavailable: true },
    },
  ],
  [
    "qr",
    { status: "init", reason: "qr", qr: "data:image/png;base64,AA==" },
    { trigger: { kind: "progress", reason: "qr" }, details: { qr: "data:image/png;base64,AA==" } },
  ],
  progress("wait_for_password"),
  [
    "wait_for_password with a hint",
    { status: "init", reason: "wait_for_password", hint: "a cat" },
    {
      trigger: { kind: "progress", reason: "wait_for_password" },
      details: { passwordHint: "a cat" },
    },
  ],
  progress("wait_for_code"),
  progress("sync"),
  ended("unauthorized"),
  ended("qridle"),
  ended("openelsewhere"),
  ended("foreignphone"),
  ended("blocked"),
  ended("rejected"),
  ["lost", { status: "lost", detail: "socket closed" }, null],
])("%s", (_, state, expected) => expect(triggerOf(state)).toEqual(expected));
