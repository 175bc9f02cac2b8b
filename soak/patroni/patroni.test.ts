import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRandom } from "../random.ts";
import { type Configuration, configure, drawPasswords } from "./configuration.ts";
import { createDeck } from "./deck.ts";
import { FAULTS } from "./faults.ts";
import { missingText } from "./programs.ts";
import { isWhole, type MemberStatus } from "./status.ts";

const CONFIGURATION: Configuration = {
  addresses: ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
  writer: "192.0.2.254:5000",
  user: "proxy",
  group: "proxies",
  passwords: { superuser: "first", replication: "second", restapi: "third", trunkline: "fourth" },
  isSynchronous: true,
  binDir: "/opt/postgresql/bin",
};

/** The files for this member, by name. */
function filled(member: number, changes: Partial<Configuration> = {}): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-patroni-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  configure(directory, member, { ...CONFIGURATION, ...changes });
  return (name) => {
    expect(statSync(join(directory, name)).mode & 0o077, `others may not read ${name}`).toBe(0);
    return readFileSync(join(directory, name), "utf8");
  };
}

describe("the templates of deploy/patroni", () => {
  test.each([0, 1, 2])("are filled in for member %i", (member) => {
    const read = filled(member);
    const address = CONFIGURATION.addresses[member];
    const patroni = read("patroni.yml");
    for (const line of [
      `name: pg${member + 1}`,
      `  connect_address: ${address}:8008`,
      `  connect_address: ${address}:5432`,
      "    synchronous_mode: true",
      "  bin_dir: /opt/postgresql/bin",
      "  mode: off",
      "    superuser: { username: postgres, password: first }",
      "    replication: { username: replicator, password: second }",
      "    password: third",
      ...CONFIGURATION.addresses.map((each) => `    - ${each}:2379`),
    ])
      expect(patroni.split("\n")).toContain(line);
    expect(read("etcd.env")).toContain(`ETCD_LISTEN_CLIENT_URLS=http://${address}:2379\n`);
    expect(read("database.sql")).toContain("create role trunkline login password 'fourth';");
    const haproxy = read("haproxy.cfg");
    expect(haproxy).toContain("    user proxy\n    group proxies\n");
    expect(haproxy).toContain("    bind 192.0.2.254:5000\n");
    for (const [index, each] of CONFIGURATION.addresses.entries())
      expect(haproxy).toContain(`    server pg${index + 1} ${each}:5432 check\n`);
    for (const text of [patroni, haproxy, read("etcd.env"), read("database.sql")]) {
      expect(text).not.toContain("$");
      expect(text).not.toContain("_OF_TEMPLATE");
    }
  });

  test("without synchronous mode", () => {
    expect(filled(0, { isSynchronous: false })("patroni.yml")).toContain("    synchronous_mode: false\n");
  });

  test.each([
    ["no password", { superuser: "" }, "SUPERUSER_PASSWORD is not set"],
    ["quotes", { trunkline: "a'b" }, "TRUNKLINE_PASSWORD may contain letters and digits only"],
    ["a command", { replication: "$(id)" }, "REPLICATION_PASSWORD may contain letters and digits only"],
  ])("%s in a password: nothing is written, and the variable is named", (_, wrong, message) => {
    const passwords = { ...CONFIGURATION.passwords, ...wrong };
    expect(() => filled(0, { passwords })).toThrow(message);
  });

  test("there are three members", () => {
    expect(() => filled(3)).toThrow('MEMBER must be 1, 2 or 3, not "4"');
  });

  test("passwords are drawn anew, and are accepted", () => {
    const [first, second] = [drawPasswords(), drawPasswords()];
    expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(8);
    expect(() => filled(0, { passwords: first })).not.toThrow();
  });
});

const PRIMARY: MemberStatus = {
  role: "master",
  state: "running",
  timeline: 3,
  replication: [
    { state: "streaming", sync_state: "sync" },
    { state: "streaming", sync_state: "async" },
  ],
};
const STANDBY: MemberStatus = { role: "replica", state: "running", timeline: 3 };
const ASYNCHRONOUS: MemberStatus = {
  ...PRIMARY,
  replication: PRIMARY.replication?.map((each) => ({ ...each, sync_state: "async" })) ?? [],
};

test.each<[string, boolean, readonly (MemberStatus | null)[], boolean]>([
  ["all stream", true, [STANDBY, PRIMARY, STANDBY], true],
  [
    "of Patroni 4",
    true,
    [{ ...PRIMARY, role: "primary" }, { ...STANDBY, state: "streaming" }, STANDBY],
    true,
  ],
  ["one is away", true, [PRIMARY, STANDBY, null], false],
  ["no primary", true, [STANDBY, STANDBY, STANDBY], false],
  ["two primaries", true, [PRIMARY, PRIMARY, STANDBY], false],
  ["one starts", true, [PRIMARY, STANDBY, { ...STANDBY, state: "starting" }], false],
  ["one is on another timeline", true, [PRIMARY, STANDBY, { ...STANDBY, timeline: 2 }], false],
  [
    "one does not stream",
    true,
    [{ ...PRIMARY, replication: PRIMARY.replication?.slice(0, 1) ?? [] }, STANDBY, STANDBY],
    false,
  ],
  ["none is synchronous", true, [ASYNCHRONOUS, STANDBY, STANDBY], false],
  ["none is to be synchronous", false, [ASYNCHRONOUS, STANDBY, STANDBY], true],
  ["none is to be synchronous yet", false, [PRIMARY, STANDBY, STANDBY], false],
])("a cluster is whole: %s", (_, isSynchronous, status, expected) => {
  expect(isWhole(status, { isSynchronous })).toBe(expected);
});

test("every fault happens once before one happens again, in an order that the seed chooses", () => {
  const drawn = (seed: string): string[] => {
    const [deck, random] = [createDeck(FAULTS), createRandom(seed)];
    return Array.from({ length: 2 * FAULTS.length }, () => deck(random).name);
  };
  const names = drawn("1");
  const all = FAULTS.map(({ name }) => name).toSorted();
  expect(names.slice(0, FAULTS.length).toSorted()).toEqual(all);
  expect(names.slice(FAULTS.length).toSorted()).toEqual(all);
  expect(drawn("1")).toEqual(names);
  expect(drawn("2")).not.toEqual(names);
});

test("what is missing is named, and how to install it", () => {
  const text = missingText(["patroni", "etcd"]);
  expect(text).toMatch(/not installed: patroni, etcd\..*deploy\/patroni\/install\.sh as root/);
});
