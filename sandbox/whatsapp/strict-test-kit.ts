import { createRequire } from "node:module";

/**
 * Import it before anything that imports baileys: makes its Signal library check signatures. By default it ignores
 * the result of the check, so that a forged server would not be noticed.
 */
interface Curve {
  verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

const load = createRequire(createRequire(import.meta.url).resolve("baileys"));
const curve = load("libsignal/src/curve.js") as Curve;
const check = curve.verifySignature;
curve.verifySignature = (key, message, signature) => {
  if (check(key, message, signature)) return true;
  throw new Error("bad signature");
};
