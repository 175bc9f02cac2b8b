import type { LookupAddress, LookupOptions } from "node:dns";
import { isIP } from "node:net";
import { resolveForeignName } from "../foreign/foreign-names.ts";
import type { AddressCheck } from "./networks.ts";

/**
 * The address is not on the public internet; nothing was sent. Clients see the message, so it does not contain the
 * resolved address, and is the same for a name that does not exist: otherwise it would reveal internal names.
 */
export class BlockedAddress extends Error {
  override readonly name = "BlockedAddress";
  constructor(host: string) {
    const subject = isIP(host) === 0 ? `${host} is not the name of` : `${host} is not`;
    super(`${subject} a public address. An operator can allow its network with ALLOW_NETWORKS.`);
  }
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** For `net.connect`: fails with `BlockedAddress` unless every address of the name is allowed. */
export function guardedLookup(isAllowed: AddressCheck, port?: number, nameServers?: readonly string[]) {
  return (host: string, options: LookupOptions, callback: LookupCallback): void => {
    resolveForeignName(host, nameServers).then(
      (found) => {
        if (!found.every(({ address }) => isAllowed(address, port)))
          return callback(new BlockedAddress(host), []);
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) =>
        callback(error.code === "ENOTFOUND" ? new BlockedAddress(host) : error, []),
    );
  };
}

export function portOf(port: string, protocol: string): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

export function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
