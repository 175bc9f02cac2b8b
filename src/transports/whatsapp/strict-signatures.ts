import { createRequire } from "node:module";

/** A signature that does not fit: a forged server, contact or phone. */
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
 * libsignal 6 answers whether a signature fits, and baileys 7.0.0-rc14 as well as libsignal itself ignore the answer; the
 * session builder even asks to skip the check. From here on a signature that does not fit throws. It has to happen
 * before baileys is imported, which copies the function: see `library.ts`.
 */
const require = createRequire(createRequire(import.meta.url).resolve("baileys"));
const curve = require("libsignal/src/curve.js") as Curve;
const { verifySignature } = curve;
curve.verifySignature = (key, message, signature) => {
  if (verifySignature(key, message, signature) === true) return true;
  throw new BadSignature();
};
