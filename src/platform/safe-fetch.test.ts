import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BlockedAddress, createAddressCheck, createGuardedDispatcher, isAllowedUrl } from "./safe-fetch.ts";

const server = createServer((_request, response) => response.end("reached"));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const PRIVATE = [
  "127.0.0.1",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::7f00:1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
  "2001:db8::1",
  "fc00::1",
  "fe80::1",
  "fec0::1",
  "ff02::1",
  "100::1",
  "not an address",
];

test.each(PRIVATE)("%s is not public", (address) => {
  expect(createAddressCheck([])(address)).toBe(false);
});

test.each(["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])("%s is public", (address) => {
  expect(createAddressCheck([])(address)).toBe(true);
});

test("allowed networks are let through, mapped addresses too, and nothing beside them", () => {
  const check = createAddressCheck(["10.0.0.0/8", "fd00::/8"]);
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "fd12::1"])
    expect(check(address), address).toBe(true);
  for (const address of ["192.168.1.1", "127.0.0.1", "fc00::1"]) expect(check(address), address).toBe(false);
  expect(() => createAddressCheck(["10.0.0.0"])).toThrow();
});

test.each([
  ["https://example.com/a?b=c", true],
  ["http://8.8.8.8/", true],
  ["http://127.0.0.1/", false],
  ["http://0x7f000001/", false],
  ["http://2130706433/", false],
  ["http://[::1]/", false],
  ["http://0/", false],
  ["https://user:pass@example.com/", false],
  ["https://user@example.com/", false],
  ["ftp://example.com/", false],
  ["file:///etc/passwd", false],
  ["javascript:alert(1)", false],
  ["/relative", false],
  ["", false],
])("isAllowedUrl(%s) is %s", (url, expected) => {
  expect(isAllowedUrl(url)).toBe(expected);
});

test.each([
  "localhost",
  "127.0.0.1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "0x7f000001",
  "2130706433",
  "0",
  "[64:ff9b::7f00:1]",
])("the guard does not reach http://%s", async (host) => {
  const dispatcher = createGuardedDispatcher({ allowNetworks: [] });
  const { origin } = new URL(`http://${host}:${port}`);
  await expect(dispatcher.request({ origin, path: "/", method: "GET" })).rejects.toThrow(BlockedAddress);
  await dispatcher.close();
});

test.each(["localhost", "127.0.0.1", "[::ffff:127.0.0.1]"])(
  "an allowed network is reached as %s",
  async (host) => {
    const dispatcher = createGuardedDispatcher({ allowNetworks: ["127.0.0.0/8", "::1/128"] });
    const { origin } = new URL(`http://${host}:${port}`);
    const { body } = await dispatcher.request({ origin, path: "/", method: "GET" });
    expect(await body.text()).toBe("reached");
    await dispatcher.close();
  },
);
