import { createRequire } from "node:module";

/** An invalid signature: a forged server, contact or phone. */
export class BadSignature extends Error {
  override readonly name = "BadSignature";
  constructor() {
    super("bad signature");
  }
}

interface Curve {
  verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array, isInit?: boolean): unknown;
}

/**
 * Patches libsignal 6 to throw on an invalid signature. It only returns the result, which baileys 7.0.0-rc14 and
 * libsignal itself ignore; the session builder even skips the check. Must run before baileys is imported, because
 * baileys copies the function; see `library.ts`.
 */
const require = createRequire(createRequire(import.meta.url).resolve("baileys"));
const curve = require("libsignal/src/curve.js") as Curve;
const { verifySignature } = curve;
curve.verifySignature = (key, message, signature) => {
  if (verifySignature(key, message, signature) === true) return true;
  throw new BadSignature();
};
