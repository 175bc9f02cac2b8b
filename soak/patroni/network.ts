import { execFileSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { messageOf } from "../../src/platform/message-of.ts";

/** The network of the members, with an address for each. All use the same ports, those of the templates. */
export interface Network {
  /** Of the members. */
  readonly addresses: readonly string[];
  /** Of this program and of HAProxy. */
  readonly ownAddress: string;
  /** Whether a member can be cut off; otherwise why not. */
  readonly cuttable: true | string;
  /** The command that runs a command on this member's machine. */
  commandOn(member: number, command: readonly string[]): readonly string[];
  cut(member: number): void;
  restore(member: number): void;
  close(): void;
}

/**
 * A network namespace for each member, on one bridge. Without the permission for that, each member has a loopback
 * address of its own, and cannot be cut off.
 */
export function openNetwork(members: number): Network {
  const namespaces = new Namespaces(members);
  try {
    namespaces.create();
    return namespaces;
  } catch (error) {
    namespaces.close();
    return loopback(members, `network namespaces are not permitted here (${firstLine(messageOf(error))})`);
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** Linux has all of 127.0.0.0/8 on loopback. */
function loopback(members: number, why: string): Network {
  const [second, third] = bytesOf(process.pid);
  const addressAt = (host: number): string => `127.${second}.${third}.${host}`;
  const cannot = (): never => {
    throw new Error(why);
  };
  return {
    addresses: Array.from({ length: members }, (_, index) => addressAt(index + 1)),
    ownAddress: addressAt(254),
    cuttable: why,
    commandOn: (_member, command) => command,
    cut: cannot,
    restore: cannot,
    close: () => undefined,
  };
}

/** Two numbers from 1 to 254 for each process, as a rule of its own. */
function bytesOf(pid: number): readonly [number, number] {
  return [1 + (Math.floor(pid / 254) % 254), 1 + (pid % 254)];
}

class Namespaces implements Network {
  readonly addresses: readonly string[];
  readonly ownAddress: string;
  readonly cuttable = true;
  readonly #subnet: string;
  /** Names of interfaces have up to 15 characters. */
  readonly #prefix = `tl${process.pid}`;

  constructor(members: number) {
    this.#subnet = freeSubnet();
    this.addresses = Array.from({ length: members }, (_, index) => this.#addressAt(index + 1));
    this.ownAddress = this.#addressAt(254);
  }

  create(): void {
    ip("link", "add", this.#bridge, "type", "bridge");
    ip("addr", "add", `${this.ownAddress}/24`, "dev", this.#bridge);
    ip("link", "set", this.#bridge, "up");
    for (const [member, address] of this.addresses.entries()) {
      const [name, plug] = [this.#nameOf(member), this.#plugOf(member)];
      ip("netns", "add", name);
      ip("link", "add", plug, "type", "veth", "peer", "name", "eth0", "netns", name);
      ip("-n", name, "addr", "add", `${address}/24`, "dev", "eth0");
      ip("-n", name, "link", "set", "eth0", "up");
      ip("-n", name, "link", "set", "lo", "up");
      ip("link", "set", plug, "master", this.#bridge, "up");
    }
  }

  commandOn(member: number, command: readonly string[]): readonly string[] {
    return ["ip", "netns", "exec", this.#nameOf(member), ...command];
  }

  /** Packets are dropped silently: the machine keeps its address, and no connection is reset. */
  cut(member: number): void {
    ip("link", "set", this.#plugOf(member), "nomaster");
  }

  restore(member: number): void {
    ip("link", "set", this.#plugOf(member), "master", this.#bridge);
  }

  close(): void {
    // The interfaces of a namespace vanish with it.
    for (const member of this.addresses.keys()) tolerant("netns", "del", this.#nameOf(member));
    tolerant("link", "del", this.#bridge);
  }

  get #bridge(): string {
    return `${this.#prefix}b`;
  }

  #addressAt(host: number): string {
    return `${this.#subnet}.${host}`;
  }

  #nameOf(member: number): string {
    return `${this.#prefix}-${member + 1}`;
  }

  #plugOf(member: number): string {
    return `${this.#prefix}m${member + 1}`;
  }
}

/** 198.18.0.0/15 is reserved for tests of networks (RFC 2544). Throws if all of it is used here. */
function freeSubnet(): string {
  const used = Object.values(networkInterfaces()).flatMap(
    (list) => list?.map(({ address }) => address) ?? [],
  );
  const [start] = bytesOf(process.pid);
  const all = Array.from({ length: 256 }, (_, index) => `198.18.${(start + index) % 256}`);
  const free = all.find((subnet) => !used.some((address) => address.startsWith(`${subnet}.`)));
  if (free === undefined) throw new Error("every network of 198.18.0.0/16 is used on this machine");
  return free;
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}

function tolerant(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    // It was not created, or has gone.
  }
}
