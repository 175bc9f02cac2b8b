import { expect, test } from "vitest";
import { createTargetCheck, exitKey, parseProxy, pickExit, shownProxy } from "./proxy.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

test.each([
  ["socks5://h.example", ["socks5", "h.example", 1080, "", ""]],
  ["SOCKS5://u:p%40ss@10.0.0.1:9", ["socks5", "10.0.0.1", 9, "u", "p@ss"]],
  ["socks5://u@h.example:80", ["socks5", "h.example", 80, "u", ""]],
  ["http://h.example", ["http", "h.example", 80, "", ""]],
  ["https://u:p@[2001:db8::1]:8443/", ["https", "2001:db8::1", 8443, "u", "p"]],
  [`mtproxy://${SECRET}@h.example:443`, ["mtproxy", "h.example", 443, SECRET, ""]],
  [`mtproxy://dd${SECRET}@h.example:443`, ["mtproxy", "h.example", 443, `dd${SECRET}`, ""]],
])("%s is a proxy", (text, [scheme, host, port, username, password]) => {
  expect(parseProxy(text)).toEqual({ scheme, host, port, username, password });
});

test.each([
  "",
  "h.example:1080",
  "ftp://h.example",
  "socks4://h.example",
  "socks5://",
  "socks5://h.example:0",
  "socks5://h.example:70000",
  "socks5://h.example/path",
  "socks5://h.example?x=1",
  "socks5://:p@h.example",
  `socks5://${"u".repeat(256)}:p@h.example`,
  "socks5://%zz:p@h.example",
  "socks5://h.example x",
  `mtproxy://${SECRET}@h.example`,
  "mtproxy://0123@h.example:443",
  `mtproxy://${SECRET}:p@h.example:443`,
])("%j is none", (text) => {
  expect(parseProxy(text)).toBeNull();
});

test("answers show neither user name nor password", () => {
  expect(shownProxy("socks5://user:secret@[2001:db8::1]:9")).toBe("socks5://[2001:db8::1]:9");
});

test("a new password is the same exit, another user name is another one", () => {
  expect(exitKey("http://u:a@h.example")).toBe(exitKey("http://u:b@h.example:80"));
  expect(exitKey("http://u:a@h.example")).not.toBe(exitKey("http://v:a@h.example"));
});

test("a channel keeps its exit while the pool has it; the others are spread", () => {
  const pool = ["a", "b", "c"].map((name) => `http://${name}.example`);
  const channels = Array.from({ length: 300 }, (_, index) => `channel ${index}`);
  const first = channels.map((id) => pickExit(pool, id, null));
  expect(new Set(first).size).toBe(3);
  const larger = [...pool, "http://d.example"];
  expect(channels.map((id, at) => pickExit(larger, id, exitKey(first[at] ?? "")))).toEqual(first);
  const smaller = pool.slice(1);
  const left = channels.map((id, at) => pickExit(smaller, id, exitKey(first[at] ?? "")));
  expect(
    left.every((url, at) => (smaller.includes(first[at] ?? "") ? url === first[at] : smaller.includes(url))),
  ).toBe(true);
});

test.each([
  ["api.example.org", true],
  ["8.8.8.8", true],
  ["10.0.0.1", false],
  ["::1", false],
  ["localhost", false],
  ["metadata", false],
  ["metadata.google.internal", false],
  ["printer.local.", false],
  ["10.1.0.1", true],
])("behind a proxy, %s may be asked for: %s", (host, expected) => {
  expect(createTargetCheck(["10.1.0.0/16"])(host, 443)).toBe(expected);
});
