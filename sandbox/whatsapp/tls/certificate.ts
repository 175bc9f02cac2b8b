import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import { bitString, bool, integer, octets, oid, sequence, set, tagged, text, time } from "./der.ts";

/** The key and certificate of an https server, and the authority for its clients. All PEM. */
export interface ServerIdentity {
  readonly key: string;
  readonly certificate: string;
  readonly authority: string;
}

interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
}

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));
const authorityName = "Sandbox WhatsApp authority";

/**
 * Creates an authority and its server certificate for these names and IPv4 addresses; the authority's key is
 * discarded.
 */
export function makeServerIdentity(hosts: readonly string[]): ServerIdentity {
  const authority = newKeys();
  const server = newKeys();
  const signer = authority.privateKey;
  return {
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    authority: issue({
      subject: authorityName,
      issuer: authorityName,
      publicKey: authority.publicKey,
      signer,
      extensions: [
        extension("2.5.29.19", sequence(bool(true)), true),
        extension("2.5.29.15", bitString(Buffer.of(0x06), 1), true),
      ],
    }),
    certificate: issue({
      subject: hosts[0] ?? "localhost",
      issuer: authorityName,
      publicKey: server.publicKey,
      signer,
      extensions: [
        extension("2.5.29.17", sequence(...hosts.map(alternativeName)), false),
        extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1")), false),
      ],
    }),
  };
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

/** An X.509 certificate (RFC 5280), valid for ten years. */
function issue({ subject, issuer, publicKey, signer, extensions }: Certificate): string {
  const serial = randomBytes(12);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(serial),
    ecdsaWithSha256,
    name(issuer),
    sequence(time(new Date(Date.now() - 86_400_000)), time(new Date(Date.now() + 3650 * 86_400_000))),
    name(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  );
  const whole = sequence(body, ecdsaWithSha256, bitString(sign("sha256", body, signer)));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function name(commonName: string): Buffer {
  return sequence(set(sequence(oid("2.5.4.3"), text(commonName))));
}

function extension(id: string, value: Buffer, critical: boolean): Buffer {
  return sequence(oid(id), ...(critical ? [bool(true)] : []), octets(value));
}

function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return tagged(0x87, Buffer.from(host.split(".").map(Number)));
  return tagged(0x82, Buffer.from(host));
}
