import ipaddr from "ipaddr.js";

/**
 * The addresses that may be reached besides the public internet: networks such as "10.0.0.0/8" and "fd00::/8",
 * optionally with one port, "10.0.0.0/8:8080" and "fd00::/8:8080". "!198.51.0.0/16" excludes a network, also a public
 * one.
 */
export type AllowNetworks = readonly string[];

/** Whether a connection to an address is allowed. Omit `port` if the port does not matter. */
export type AddressCheck = (address: string, port?: number) => boolean;

interface Rule {
  readonly network: [ipaddr.IPv4 | ipaddr.IPv6, number];
  readonly port: number | null;
  readonly denies: boolean;
}

/** Throws if an entry has another form. */
export function createAddressCheck(allowNetworks: AllowNetworks): AddressCheck {
  const rules = allowNetworks.map(parseRule);
  return (address, port) => {
    if (!ipaddr.isValid(address)) return false;
    // An IPv4-mapped address is checked as its IPv4 address.
    const processed = ipaddr.process(address);
    const fits = (rule: Rule) =>
      isInside(processed, rule.network) && (rule.port === null || rule.port === port);
    if (rules.some((rule) => rule.denies && fits(rule))) return false;
    if (rules.some((rule) => !rule.denies && fits(rule))) return true;
    return isPublic(processed) && !CLOUD_INTERNAL.some(fits);
  };
}

/** Whether the address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && isPublic(ipaddr.process(address));
}

/** The ports with rules of their own. */
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
 * Addresses in public ranges at which clouds offer internal services to their machines: Azure's host agent, which
 * hands out certificates and the settings of extensions (documentation "What is IP address 168.63.129.16?"), and
 * IBM's infrastructure and service endpoints ("Endpoints available for VPC").
 */
const CLOUD_INTERNAL: readonly Rule[] = ["!168.63.129.16/32", "!161.26.0.0/16", "!166.8.0.0/14"].map(
  parseRule,
);

// All public IPv6 addresses are in 2000::/3; the rest is reserved or embeds IPv4 addresses.
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
