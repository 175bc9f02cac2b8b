import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function capture(pretty: boolean) {
  const lines: string[] = [];
  return {
    lines,
    log: createLog({ level: "info", pretty, destination: { write: (line) => void lines.push(line) } }),
  };
}

test("redacts secrets, up to two levels deep", () => {
  const { lines, log } = capture(false);
  log.info(
    { token: "hush", headers: { authorization: "hush", host: "x" }, channel: { credentials: { a: "hush" } } },
    "m",
  );
  log.info({ endpoint: { crmKey: "hush" }, env: { SECRET_KEY: "hush", secretKey: "hush" } }, "m");
  expect(lines.join("")).not.toContain("hush");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "info", msg: "m", headers: { host: "x" } });
});

test("pretty entries are single readable lines; the level applies", () => {
  const { lines, log } = capture(true);
  log.debug("unseen");
  log.warn({ channelId: "c1" }, "line is slow");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/WARN.*line is slow.*c1/);
});

test("pretty lines escape terminal control sequences in foreign text", () => {
  const { lines, log } = capture(true);
  const text = "\u001b[2J\u009b31m\r\u202egpj";
  log.warn({ name: text, err: new Error(text) }, text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  expect(lines.join("")).not.toMatch(/[\u001b\u009b\r\u202e]/);
  expect(lines.join("")).toContain("\\u001b[2J\\u009b31m");
});
