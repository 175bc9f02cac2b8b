import { expect, test } from "vitest";
import { newId } from "../../../platform/ids.ts";
import { createSeal } from "../../../platform/seal.ts";
import { codesOf, isGenuine, readCode } from "./codes.ts";

const core = { seal: createSeal("a key for tests, long enough") };
const other = { seal: createSeal("another key for tests, as long") };
const [credentials, next] = [Buffer.from("sealed once"), Buffer.from("sealed twice")];

test("codes identify their channel, and are valid parameters of links", () => {
  const channelId = newId();
  const { claim, invitation } = codesOf(core, channelId, credentials);
  expect(readCode(claim)).toEqual({ kind: "claim", channelId });
  expect(readCode(invitation)).toEqual({ kind: "invitation", channelId });
  expect(claim + invitation).toMatch(/^[\w-]{90}$/);
});

test("a claim code is valid until other credentials are stored, an invitation code for ever", () => {
  const { claim, invitation } = codesOf(core, newId(), credentials);
  expect([credentials, next].map((each) => isGenuine(core, claim, each))).toEqual([true, false]);
  expect([credentials, next].map((each) => isGenuine(core, invitation, each))).toEqual([true, true]);
});

test("codes cannot be forged", () => {
  const { claim, invitation } = codesOf(core, newId(), credentials);
  const changed = (code: string): string => code.slice(0, -1) + (code.endsWith("A") ? "B" : "A");
  for (const code of [claim, invitation]) {
    expect(isGenuine(other, code, credentials)).toBe(false);
    expect(isGenuine(core, changed(code), credentials)).toBe(false);
    expect(isGenuine(core, (code.startsWith("c") ? "i" : "c") + code.slice(1), credentials)).toBe(false);
  }
});

test.each(["", "hello", "c", `x${"A".repeat(44)}`, `c${"A".repeat(43)}`, `c${"A".repeat(43)}!`])(
  "no code: %j",
  (text) => {
    expect(readCode(text)).toBeNull();
    expect(isGenuine(core, text, credentials)).toBe(false);
  },
);
