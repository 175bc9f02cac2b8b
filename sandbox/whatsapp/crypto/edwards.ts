/** The twisted Edwards form of Curve25519 (RFC 8032), as far as needed for signing: multiples of the base point. */

const p = 2n ** 255n - 19n;
const d = mod(-121665n * invert(121666n), p);

/** The order of the base point. */
export const order = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Extended coordinates: x = X/Z, y = Y/Z, xy = T/Z. */
interface Point {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

const neutral: Point = { x: 0n, y: 1n, z: 1n, t: 0n };
const base = affine(
  15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  46316835694926478169428394003475163141307993866256225615783033603165251855960n,
);
const baseTable = makeBaseTable();

/** The 32 bytes of `scalar` times the base point: y, with the sign of x in the highest bit. */
export function multiplyBase(scalar: bigint): Buffer {
  let sum = neutral;
  for (let [rest, row] = [mod(scalar, order), 0]; rest > 0n; rest >>= 4n, row++) {
    const step = baseTable[row]?.[Number(rest & 15n)];
    if (step) sum = add(sum, step);
  }
  return encode(sum);
}

/** The Edwards y of a Montgomery u: the same public key in the other form, with the given sign of x. */
export function edwardsKey(montgomery: Uint8Array, sign: boolean): Buffer {
  const u = mod(fromBytes(montgomery) & (2n ** 255n - 1n), p);
  const bytes = toBytes(mod((u - 1n) * invert(u + 1n), p));
  if (sign) bytes[31] = (bytes[31] ?? 0) | 0x80;
  return bytes;
}

/** Little-endian, as in both forms. */
export function fromBytes(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}

/** 32 bytes, little-endian. */
export function toBytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();
}

export function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** 16 multiples of 16^row times the base point, for each of the 64 hexadecimal digits of a scalar. */
function makeBaseTable(): Point[][] {
  const rows: Point[][] = [];
  for (let [row, unit] = [0, base]; row < 64; row++) {
    const multiples = [neutral];
    for (let digit = 1; digit <= 16; digit++) multiples.push(add(multiples[digit - 1] ?? neutral, unit));
    unit = multiples.pop() ?? neutral;
    rows.push(multiples);
  }
  return rows;
}

/** The complete addition of RFC 8032, 5.1.4; doubles as well. */
function add(left: Point, right: Point): Point {
  const a = ((left.y - left.x) * (right.y - right.x)) % p;
  const b = ((left.y + left.x) * (right.y + right.x)) % p;
  const c = (left.t * 2n * d * right.t) % p;
  const dd = (left.z * 2n * right.z) % p;
  const [e, f, g, h] = [b - a, dd - c, dd + c, b + a];
  return { x: (e * f) % p, y: (g * h) % p, z: (f * g) % p, t: (e * h) % p };
}

function affine(x: bigint, y: bigint): Point {
  return { x, y, z: 1n, t: mod(x * y, p) };
}

function encode({ x, y, z }: Point): Buffer {
  const scale = invert(z);
  const bytes = toBytes(mod(y * scale, p));
  if (mod(x * scale, p) % 2n === 1n) bytes[31] = (bytes[31] ?? 0) | 0x80;
  return bytes;
}

/** Fermat: a^(p-2). */
function invert(value: bigint): bigint {
  let result = 1n;
  for (let [factor, exponent] = [mod(value, p), p - 2n]; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * factor) % p;
    factor = (factor * factor) % p;
  }
  return result;
}
