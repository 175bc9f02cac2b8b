import { expect, test } from "vitest";
import {
  isSameForClients,
  restrictionOf,
  restrictionsAfter,
  type StoredRestriction,
} from "./channel-restrictions.ts";
import type { AccountRestriction, RestrictionKind } from "./transport/errors.ts";

const NOW = new Date("2026-03-01T10:00:00.000Z");
const EARLIER = "2026-03-01T09:00:00.000Z";
const at = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);

const stored = (
  hours: number | null,
  isEstimate = false,
  kind: RestrictionKind = "new_chats",
): StoredRestriction => ({
  kind,
  reason: "Spam",
  since: EARLIER,
  endsAt: hours === null ? null : at(hours).toISOString(),
  isEstimate,
});
const report = (hours: number | null, isEstimate?: true): AccountRestriction => ({
  reason: "Spam",
  until: hours === null ? null : at(hours),
  ...(isEstimate && { isEstimate }),
});

/** What is left, as "since, end, estimate". */
const short = (list: readonly StoredRestriction[]) =>
  list.map(({ since, endsAt, isEstimate }) => [
    since === EARLIER ? "kept" : "new",
    endsAt === null ? null : (Date.parse(endsAt) - NOW.getTime()) / 3_600_000,
    isEstimate ? "estimate" : "stated",
  ]);

test.each<[string, readonly StoredRestriction[], AccountRestriction | null, unknown, boolean]>([
  ["begins", [], report(2), [["new", 2, "stated"]], true],
  ["begins without an end", [], report(null), [["new", null, "stated"]], true],
  ["is over before it is reported", [], report(-1), [], false],
  ["another end keeps the beginning", [stored(2)], report(5), [["kept", 5, "stated"]], true],
  ["an earlier end, too", [stored(5)], report(2), [["kept", 2, "stated"]], true],
  ["an estimate does not replace a stated end", [stored(2)], report(9, true), [["kept", 2, "stated"]], false],
  ["nor one that is open", [stored(null)], report(9, true), [["kept", null, "stated"]], false],
  ["a stated end replaces an estimate", [stored(9, true)], report(2), [["kept", 2, "stated"]], true],
  ["a later estimate is silent", [stored(2, true)], report(5, true), [["kept", 5, "estimate"]], false],
  ["an earlier one has no effect", [stored(5, true)], report(2, true), [["kept", 5, "estimate"]], false],
  ["after its end it begins again", [stored(-1, true)], report(5, true), [["new", 5, "estimate"]], true],
  ["ends", [stored(2)], null, [], true],
  ["ends twice", [], null, [], false],
  ["its end passed unnoticed", [stored(-1)], null, [], true],
])("%s", (_name, known, reported, expected, differs) => {
  const next = restrictionsAfter(known, "new_chats", reported, NOW);
  expect(short(next)).toEqual(expected);
  expect(isSameForClients(known, next)).toBe(!differs);
});

test("kinds are independent, and listed from their beginning", () => {
  const quality = stored(null, false, "quality");
  const both = restrictionsAfter([quality], "new_chats", report(2), NOW);
  expect(both.map(({ kind }) => kind)).toEqual(["quality", "new_chats"]);
  expect(restrictionsAfter(both, "quality", null, NOW).map(({ kind }) => kind)).toEqual(["new_chats"]);
});

test("clients do not see an estimated end", () => {
  expect(restrictionOf(stored(2, true)).until).toBeNull();
  expect(restrictionOf(stored(2)).until).toEqual(at(2));
});
