import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import type { Dispatcher } from "undici";
import { agentsWith } from "./agents.ts";
import { CONNECT_TIMEOUT_MS, CONNECTION_OPTIONS } from "./connection-options.ts";

const dispatchers = new Map<string, () => Dispatcher>();

/**
 * Returns a function that assigns dispatchers, which trust the certificate authorities in this file (PEM, one or more)
 * in addition to those of Node. The file is read once. Throws if it cannot be read or contains no certificate.
 */
export function trustingDispatcher(file: string): () => Dispatcher {
  const known = dispatchers.get(file);
  if (known !== undefined) return known;
  const ca = [...authoritiesIn(file)];
  const assign = agentsWith({ ...CONNECTION_OPTIONS, connect: { timeout: CONNECT_TIMEOUT_MS, ca } });
  dispatchers.set(file, assign);
  return assign;
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
