import { describe, expect, test } from "vitest";
import type { Vault, VaultEntry } from "../../core/transport/connector.ts";
import { isFromPhone, judgePhone, PhoneWatch } from "./phone-watch.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ME = { id: "79990000001:3@s.whatsapp.net", lid: "90000000000001:3@lid" };

describe("recognition of the phone's stanzas", () => {
  test.each<[string, string, Record<string, string>, boolean]>([
    ["an echo", "message", { from: "79990000001@s.whatsapp.net", recipient: "7@s.whatsapp.net" }, true],
    ["an echo under the hidden id", "message", { from: "90000000000001@lid" }, true],
    ["an echo in a group", "message", { from: "1@g.us", participant: "90000000000001@lid" }, true],
    ["a receipt", "receipt", { from: "79990000001@s.whatsapp.net", type: "sender" }, true],
    ["with its device named", "receipt", { from: "79990000001:0@s.whatsapp.net" }, true],
    ["with an agent", "receipt", { from: "79990000001_1@s.whatsapp.net" }, true],
    ["of another linked device", "receipt", { from: "79990000001:4@s.whatsapp.net", type: "sender" }, false],
    ["of another person", "message", { from: "79990000002@s.whatsapp.net" }, false],
    ["of a hidden id with the same digits", "message", { from: "79990000001@lid" }, false],
    ["of a group", "message", { from: "1@g.us", participant: "79990000002@s.whatsapp.net" }, false],
    ["a notification", "notification", { from: "79990000001@s.whatsapp.net" }, false],
    ["without an author", "receipt", {}, false],
  ])("%s", (_, tag, attrs, expected) => expect(isFromPhone({ tag, attrs }, ME)).toBe(expected));
});

describe("an inactive phone", () => {
  test.each<[string, number, number | null, number | null, boolean, boolean]>([
    // inactive for, time since the first query, time since the last query, ask, away
    ["for less than 12 days", 12 * DAY - 1, null, null, false, false],
    ["for 12 days", 12 * DAY, null, null, true, false],
    ["and was just queried", 12 * DAY + 1, 1, 1, false, false],
    ["and was queried 6 hours ago", 12.5 * DAY, 6 * HOUR, 6 * HOUR, true, false],
    ["for just less than 13 days", 13 * DAY - 1, DAY - 1, 1, false, false],
    ["for 13 days without a response", 13 * DAY, DAY, 1, false, true],
    ["while this device was off, and was just queried", 20 * DAY, 1, 1, false, false],
    ["while this device was off, and had time to respond", 20 * DAY, 10 * 60_000, 10 * 60_000, false, true],
    ["while this device was off", 20 * DAY, null, null, true, false],
  ])("%s", (_, quietMs, askedMs, lastMs, ask, away) => {
    const now = 100 * DAY;
    const ago = (ms: number | null) => (ms === null ? null : now - ms);
    const facts = { seenAt: now - quietMs, askedAt: ago(askedMs), lastAskedAt: ago(lastMs) };
    expect(judgePhone(facts, now)).toEqual({ ask, away });
  });
});

describe("PhoneWatch", () => {
  const store = new Map<string, Uint8Array>();
  const vault = {
    read: async () => store,
    async write(entries: readonly VaultEntry[]) {
      for (const { id, value } of entries) if (value !== null) store.set(id, value);
    },
  } as unknown as Vault;
  const seconds = (ms: number) => String(Math.floor(ms / 1_000));
  const receipt = (atMs: number) => ({
    tag: "receipt",
    attrs: { from: "79990000001@s.whatsapp.net", type: "peer_msg", t: seconds(atMs) },
  });

  test("queries the phone, reports its absence until it responds, and keeps its state across a restart", async () => {
    const start = Date.now();
    const watch = new PhoneWatch(vault);
    await watch.load();
    expect(watch.takeQuestion()).toBe(false);
    watch.setClock(seconds(start));
    await watch.store();
    watch.setClock(seconds(start + 12.1 * DAY));
    expect([watch.takeQuestion(), watch.takeQuestion(), watch.isAway]).toEqual([true, false, false]);
    await watch.store();
    watch.setClock(seconds(start + 13.1 * DAY));
    expect(watch.isAway).toBe(true);

    const later = new PhoneWatch(vault);
    await later.load();
    later.setClock(seconds(start + 13.2 * DAY));
    expect(later.isAway).toBe(true);
    later.see(receipt(start + 5 * DAY), ME);
    expect(later.isAway).toBe(false);
    later.see(receipt(start + 13.2 * DAY), ME);
    await later.store();
    later.setClock(seconds(start + 20 * DAY));
    expect([later.takeQuestion(), later.isAway]).toEqual([false, false]);
  });

  test("ignores an invalid time from the server", () => {
    const watch = new PhoneWatch(vault);
    watch.setClock(undefined);
    watch.setClock("soon");
    watch.see({ tag: "receipt", attrs: { from: "79990000001@s.whatsapp.net", t: "never" } }, ME);
    expect([watch.takeQuestion(), watch.isAway]).toEqual([false, false]);
  });
});
