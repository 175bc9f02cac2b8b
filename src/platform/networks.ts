import ipaddr from "ipaddr.js";

/**
 * What may be reached beyond the public internet: networks such as "10.0.0.0/8" and "fd00::/8", with one port of them as
 * "10.0.0.0/8:8080" and "fd00::/8:8080". "!198.51.0.0/16" takes a network away, a public one too.
 */
export type AllowNetworks = readonly string[];

/** Whether a connection to an address is allowed; `port` may be left out where any port will do. */
export type AddressCheck = (address: string, port?: number) => boolean;

interface Rule {
  readonly network: [ipaddr.IPv4 | ipaddr.IPv6, number];
  readonly port: number | null;
  readonly denies: boolean;
}

/** Throws when one of them is not of these forms. */
export function createAddressCheck(allowNetworks: AllowNetworks): AddressCheck {
  const rules = allowNetworks.map(parseRule);
  return (address, port) => {
    if (!ipaddr.isValid(address)) return false;
    // An IPv4-mapped address counts as the IPv4 address it stands for.
    const processed = ipaddr.process(address);
    const fits = (rule: Rule) =>
      isInside(processed, rule.network) && (rule.port === null || rule.port === port);
    if (rules.some((rule) => rule.denies && fits(rule))) return false;
    if (rules.some((rule) => !rule.denies && fits(rule))) return true;
    return isPublic(processed) && !INTERNAL.some(fits);
  };
}

/** Whether it is an address of the public internet. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && isPublic(ipaddr.process(address));
}

/** Ports for which the networks say something of their own. */
export function portsOf(allowNetworks: AllowNetworks): number[] {
  const ports = allowNetworks.map((network) => parseRule(network).port);
  return [...new Set(ports.filter((port) => port !== null))];
}

function parseRule(text: string): Rule {
  const [, denies, network = "", port] = /^(!?)(.*\/\d+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) throw new Error(`no port: ${text}`);
  return {
    network: ipaddr.parseCIDR(network),
    port: port === undefined ? null : Number(port),
    denies: denies === "!",
  };
}

/**
 * Addresses of public ranges at which clouds offer their own services to the machines inside: Azure's host agent, which
 * hands out certificates and extensions' settings ("What is IP address 168.63.129.16?" in its documentation), and IBM's
 * infrastructure and service endpoints ("Endpoints available for VPC").
 */
const INTERNAL: readonly Rule[] = ["!168.63.129.16/32", "!161.26.0.0/16", "!166.8.0.0/14"].map(parseRule);

// 2000::/3 is all that was ever handed out for the public internet; the rest is reserved or wraps IPv4 addresses.
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

function isInside(
  address: ipaddr.IPv4 | ipaddr.IPv6,
  [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
