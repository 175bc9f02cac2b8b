import { createRequire } from "node:module";

/**
 * A setup file of the tests: makes the client's Signal library check signatures. By default it ignores the result of
 * the check, so that a forged server would not be noticed. It has to run before anything imports baileys, which keeps
 * its own reference to the function; the files of a worker share that import.
 */
const load = createRequire(createRequire(import.meta.url).resolve("baileys"));

interface Curve {
  verifySignature: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
}

const curve = load("libsignal/src/curve.js") as Curve;
const check = curve.verifySignature;

/** Without the library's fourth parameter, with which it checks nothing. */
function verifyStrictly(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (check(key, message, signature)) return true;
  throw new Error("bad signature");
}

// The file runs again for each test file.
if (check.name !== verifyStrictly.name) curve.verifySignature = verifyStrictly;
