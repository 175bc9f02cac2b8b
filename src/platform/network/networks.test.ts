import { expect, test } from "vitest";
import { createAddressCheck, portsOf } from "./networks.ts";

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
  "168.63.129.16",
  "::ffff:168.63.129.16",
  "161.26.0.10",
  "166.9.14.10",
  "192.0.0.192",
  "100.100.100.200",
  "fd00:ec2::254",
  "3fff::1",
  "not an address",
];

test.each(PRIVATE)("%s is not public", (address) => {
  expect(createAddressCheck([])(address)).toBe(false);
});

test.each(["8.8.8.8", "1.1.1.1", "168.63.129.17", "166.12.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
  "%s is public",
  (address) => {
    expect(createAddressCheck([])(address)).toBe(true);
  },
);

test("allows the given networks, including mapped addresses, and nothing else", () => {
  const check = createAddressCheck(["10.0.0.0/8", "fd00::/8"]);
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "fd12::1"])
    expect(check(address), address).toBe(true);
  for (const address of ["192.168.1.1", "127.0.0.1", "fc00::1"]) expect(check(address), address).toBe(false);
  expect(() => createAddressCheck(["10.0.0.0"])).toThrow();
});

test.each<[string[], string, number, boolean]>([
  [["10.0.0.0/8:8080"], "10.1.2.3", 8080, true],
  [["10.0.0.0/8:8080"], "::ffff:10.1.2.3", 8080, true],
  [["10.0.0.0/8:8080"], "10.1.2.3", 80, false],
  [["10.0.0.0/8:8080"], "11.1.2.3", 80, true],
  [["10.0.0.0/8:8080", "10.0.0.0/8:443"], "10.1.2.3", 443, true],
  [["fd00::/8:8080"], "fd12::1", 8080, true],
  [["fd00::/8:8080"], "fd12::1", 8081, false],
  [["!203.0.0.0/8"], "203.1.2.3", 443, false],
  [["!203.0.0.0/8:22"], "203.1.2.3", 22, false],
  [["!203.0.0.0/8:22"], "203.1.2.3", 443, true],
  [["10.0.0.0/8", "!10.0.0.1/32"], "10.0.0.1", 443, false],
  [["!10.0.0.1/32", "10.0.0.0/8"], "10.0.0.1", 443, false],
  [["10.0.0.0/8", "!10.0.0.1/32"], "10.0.0.2", 443, true],
  [["168.63.129.16/32"], "168.63.129.16", 80, true],
])("%j: port of %s", (allowNetworks, address, port, expected) => {
  expect(createAddressCheck(allowNetworks)(address, port)).toBe(expected);
});

test("a rule with a port does not apply without a port", () => {
  expect(createAddressCheck(["10.0.0.0/8:8080"])("10.1.2.3")).toBe(false);
});

test.each([
  "10.0.0.0",
  "10.0.0.0/8:",
  "10.0.0.0/8:0",
  "10.0.0.0/8:65536",
  "10.0.0.0/8:http",
  "10.0.0.0/33",
  "!!10.0.0.0/8",
  ":80",
])("%s is not a network", (network) => {
  expect(() => createAddressCheck([network])).toThrow();
});

test("ports are listed once", () => {
  expect(portsOf(["10.0.0.0/8", "10.0.0.0/8:80", "fd00::/8:80", "!8.8.8.8/32:443"])).toEqual([80, 443]);
});
