import { expect, test } from "vitest";
import page from "../../../docs/transports/whatsapp.md?raw";
import { PASSKEY_FAULTS, PASSKEY_PROBLEMS } from "../../../src/core/transport/login.ts";
import { en } from "./later/en.ts";

interface Case {
  readonly response: string;
  readonly text: string;
}

/** The rows of the table of failed ceremonies. */
function cases(): readonly Case[] {
  const lines = page.split("\n");
  const start = lines.indexOf("| Case | Response | The person reads |");
  const rows = lines.slice(start + 2);
  return rows.slice(0, rows.indexOf("")).map((row) => {
    const [, response = "", text = ""] = row.slice(2, -2).split(" | ");
    return { response, text };
  });
}

test.each([
  ...PASSKEY_FAULTS.map((code) => [code, `\`PASSKEY_REFUSED\` \`${code}\``] as const),
  ...PASSKEY_PROBLEMS.map((code) => [code, `\`PASSKEY_NOT_EXPECTED\` \`${code}\``] as const),
])("the documentation lists %s with its response %s and the page's text", (code, response) => {
  const found = cases().filter((each) => each.response.includes(response));
  expect(found.map(({ text }) => text)).toEqual([en.passkey[code]]);
});

test.each(["unused", "elsewhere"] as const)("the documentation lists the snippet's text %s", (name) => {
  expect(cases().map(({ text }) => text)).toContain(en.passkey[name]);
});
