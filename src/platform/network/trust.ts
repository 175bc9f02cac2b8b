import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher } from "undici";
import { CONNECT_TIMEOUT_MS, CONNECTION_OPTIONS } from "./connection-options.ts";

const agents = new Map<string, Agent>();

/**
 * A dispatcher that trusts the certificate authorities in this file (PEM, one or more) in addition to those of Node.
 * There is one pool per file; the file is read once. Throws if the file cannot be read or contains no certificate.
 */
export function trustingDispatcher(file: string): Dispatcher {
  const known = agents.get(file);
  if (known !== undefined) return known;
  const ca = [...authoritiesIn(file)];
  const agent = new Agent({ ...CONNECTION_OPTIONS, connect: { timeout: CONNECT_TIMEOUT_MS, ca } });
  agents.set(file, agent);
  return agent;
}

/** The certificates of the file and those that Node trusts, in PEM form. Throws like `trustingDispatcher`. */
export function authoritiesIn(file: string): readonly string[] {
  return [...getCACertificates("default"), ...certificatesIn(file)];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificatesIn(file: string): string[] {
  const found = readFileSync(file, "utf8").match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error(`${file} contains no certificate in PEM form`);
  return found.map((pem) => new X509Certificate(pem).toString());
}
