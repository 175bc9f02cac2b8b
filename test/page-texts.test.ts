import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const CHAT = join(import.meta.dirname, "../web/chat");

/** Found by codes of the interface: statuses of messages. */
const BY_CODE = new Set(["queued", "sent", "delivered", "read", "error"]);

test.each(["texts/en.ts", "texts/later/en.ts"])("every text of the chat page in %s is used", (file) => {
  const [texts = ""] = readFileSync(join(CHAT, file), "utf8").split("  /** Why something was refused");
  const keys = [...texts.matchAll(/^ {4}(\w+):/gm)].map(([, key = ""]) => key);
  const sources = globSync("**/*.{ts,tsx}", { cwd: CHAT })
    .filter((name) => !name.startsWith("texts/") && !name.includes(".test."))
    .map((name) => readFileSync(join(CHAT, name), "utf8"));
  const words = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []));
  expect(keys.length).toBeGreaterThan(50);
  expect(keys.filter((key) => !words.has(key) && !BY_CODE.has(key))).toEqual([]);
});
