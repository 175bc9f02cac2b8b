import { randomBytes } from "node:crypto";
import { modPow, toBig } from "./big.ts";

/** The 2048-bit safe prime that Telegram's servers use (core.telegram.org/mtproto/samples-auth_key). */
export const dhPrime = BigInt(
  "0xc71caeb9c6b1c9048e6c522f70f13f73980d40238e3e21c14934d037563d930f48198a0aa7c14058229493d22530f4dbfa336f6e0ac925139543aed44cce7c3720fd51f69458705ac68cd4fe6b6b13abdc9746512969328454f18faf8c595f642477fe96bb2a941d5bcd1d4ac8cc49880708fa9b378e3c4f3a9060bee67cf9a4a4a695811051907e162753b56b0f6b410dba74d8a84b2a14b3144e0ef1284754fd17ed950d5965b4b9dd46582db1178d169c6bc465b0d6ff9ca3928fef5b9ae4e418fc15e83ebea0f87fa9ff5eed70050ded2849f47bf959d956850ce929851f0d8115f635b105ee2e4e15d04b2454bf6f4fadf034b10403119cd8e3b92fcc5b",
);

/** The generator for this prime. */
export const dhGenerator = 3n;

/** Bytes of each number of the group. */
export const groupBytes = 256;

const margin = 1n << BigInt(2048 - 64);

/** A secret exponent, and the generator raised to it. */
export function makeDhPair(): { readonly secret: bigint; readonly shared: bigint } {
  const secret = toBig(randomBytes(groupBytes));
  return { secret, shared: modPow(dhGenerator, secret, dhPrime) };
}

/** Whether the other side's number is far enough from both ends of the group, as the protocol requires. */
export function isSafeShared(shared: bigint): boolean {
  return shared >= margin && shared <= dhPrime - margin;
}
