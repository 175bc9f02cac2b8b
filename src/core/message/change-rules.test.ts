import { describe, expect, it } from "vitest";
import { postbox } from "../../../test/kit/transport.ts";
import type { Capabilities } from "../transport/definition.ts";
import { checkEditable, checkRemovable, type SentMessage } from "./change-rules.ts";

const NOW = new Date("2030-01-02T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

const message = (more: Partial<SentMessage> = {}): SentMessage => ({
  status: "sent",
  content: null,
  sent_at: ago(MINUTE),
  delivered_at: null,
  deleted_at: null,
  ...more,
});
const can = (more: Partial<Capabilities>): Capabilities => ({ ...postbox.capabilities, ...more });
const editing = (windowMs: number | null, receipts: Capabilities["receipts"] = []): Capabilities =>
  can({ edit: { windowMs, parts: ["text"] }, receipts });
const content = (more: object): SentMessage["content"] => ({ ...more });

function outcome(check: () => void): string {
  try {
    check();
    return "allowed";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("checkEditable", () => {
  const TEXT = { text: "new" };
  const FILE = { attachment: { url: "https://x.example/a.png" } };
  const EXPIRED = "MESSAGES_EDITING_TIME_EXPIRED";
  const delivered = (sentMs: number, deliveredMs: number): SentMessage =>
    message({ status: "delivered", sent_at: ago(sentMs), delivered_at: ago(deliveredMs) });
  const both = can({ edit: { windowMs: null, parts: ["text", "attachment"] } });

  it.each<[string, string, Capabilities, SentMessage, object]>([
    ["a text", "allowed", editing(null), message(), TEXT],
    ["a file", "allowed", both, message(), FILE],
    ["nothing", "CHANNEL_INVALID_TRANSPORT_FOR_EDITING", can({ edit: null }), message(), TEXT],
    ["texts only", "CHANNEL_INVALID_TRANSPORT_FOR_CONTENT_EDITING", editing(null), message(), FILE],
    ["15 minutes after sending", "allowed", editing(null), message({ sent_at: ago(15 * MINUTE) }), TEXT],
    ["a moment later", EXPIRED, editing(null), message({ sent_at: ago(15 * MINUTE + 1) }), TEXT],
    [
      "15 minutes after delivery",
      "allowed",
      editing(null, ["delivered"]),
      delivered(HOUR, 15 * MINUTE),
      TEXT,
    ],
    ["a moment later", EXPIRED, editing(null, ["delivered"]), delivered(HOUR, 15 * MINUTE + 1), TEXT],
    [
      "long after sending, before delivery",
      "allowed",
      editing(null, ["delivered"]),
      message({ sent_at: ago(HOUR) }),
      TEXT,
    ],
    [
      "long after sending, where only reading is told",
      EXPIRED,
      editing(null, ["read"]),
      message({ sent_at: ago(HOUR) }),
      TEXT,
    ],
    [
      "just after reading, where only reading is told",
      EXPIRED,
      editing(null, ["read"]),
      delivered(HOUR, MINUTE),
      TEXT,
    ],
    [
      "within the messenger's window",
      "allowed",
      editing(5 * MINUTE),
      message({ sent_at: ago(5 * MINUTE) }),
      TEXT,
    ],
    ["beyond it", EXPIRED, editing(5 * MINUTE), message({ sent_at: ago(5 * MINUTE + 1) }), TEXT],
    ["beyond it, just delivered", EXPIRED, editing(5 * MINUTE), delivered(6 * MINUTE, 1), TEXT],
    [
      "a longer window does not count",
      EXPIRED,
      editing(48 * HOUR),
      message({ sent_at: ago(16 * MINUTE) }),
      TEXT,
    ],
    [
      "a read message",
      "allowed",
      editing(null),
      message({ status: "read", delivered_at: ago(MINUTE) }),
      TEXT,
    ],
    ["one on its way", "MESSAGES_NOT_SENT", editing(null), message({ status: "queued" }), TEXT],
    ["a failed one", "MESSAGES_NOT_SENT", editing(null), message({ status: "error" }), TEXT],
    ["a deleted one", "MESSAGES_ALREADY_DELETED", editing(null), message({ deleted_at: ago(1) }), TEXT],
    [
      "one with buttons",
      "MESSAGES_CONTAIN_BUTTONS",
      editing(null),
      message({
        content: content({ keyboard: { kind: "interactive", buttons: [{ text: "A", payload: "a" }] } }),
      }),
      TEXT,
    ],
    [
      "one that only took a keyboard away",
      "allowed",
      editing(null),
      message({ content: content({ keyboard: { kind: "remove", selective: false } }) }),
      TEXT,
    ],
    [
      "one that only took a keyboard away, where the messenger refuses that",
      "MESSAGES_CONTAIN_BUTTONS",
      can({ edit: { windowMs: null, parts: ["text"], refusesKeyboardRemovals: true } }),
      message({ content: content({ keyboard: { kind: "remove", selective: false } }) }),
      TEXT,
    ],
    [
      "one with a file",
      "allowed",
      editing(null),
      message({ content: content({ attachment: { url: "x" } }) }),
      TEXT,
    ],
  ])("%s: %s", (_, expected, capabilities, sent, request) => {
    expect(outcome(() => checkEditable(capabilities, sent, request, NOW))).toBe(expected);
  });
});

describe("checkRemovable", () => {
  const removing = (windowMs: number | null): Capabilities => can({ remove: { windowMs } });
  it.each<[string, string, Capabilities, SentMessage]>([
    ["without end", "allowed", removing(null), message({ sent_at: ago(1000 * HOUR) })],
    [
      "where nothing can be removed",
      "CHANNEL_INVALID_TRANSPORT_FOR_DELETION",
      can({ remove: null }),
      message(),
    ],
    ["48 hours later", "allowed", removing(48 * HOUR), message({ sent_at: ago(48 * HOUR) })],
    [
      "a moment later",
      "MESSAGES_DELETION_TIME_EXPIRED",
      removing(48 * HOUR),
      message({ sent_at: ago(48 * HOUR + 1), delivered_at: ago(1) }),
    ],
    ["one on its way", "MESSAGES_NOT_SENT", removing(null), message({ status: "queued" })],
    ["a failed one", "MESSAGES_NOT_SENT", removing(null), message({ status: "error" })],
    ["a deleted one", "MESSAGES_ALREADY_DELETED", removing(null), message({ deleted_at: ago(1) })],
    [
      "one with buttons",
      "allowed",
      removing(null),
      message({ content: content({ keyboard: { kind: "remove", selective: false } }) }),
    ],
  ])("%s: %s", (_, expected, capabilities, sent) => {
    expect(outcome(() => checkRemovable(capabilities, sent, NOW))).toBe(expected);
  });
});
