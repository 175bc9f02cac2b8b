/** The few DER (X.690) types that a certificate needs. */

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

export function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, ...parts);
}

/** A positive number, big-endian. */
export function integer(bytes: Buffer): Buffer {
  return tagged(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/** An object identifier such as `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function text(value: string): Buffer {
  return tagged(0x0c, Buffer.from(value));
}

export function bool(value: boolean): Buffer {
  return tagged(0x01, Buffer.of(value ? 0xff : 0));
}

/** Whole bytes; `unused` bits at the end do not count. */
export function bitString(bytes: Buffer, unused = 0): Buffer {
  return tagged(0x03, Buffer.of(unused), bytes);
}

export function octets(bytes: Buffer): Buffer {
  return tagged(0x04, bytes);
}

/** With a precision of seconds, as certificates require. */
export function time(date: Date): Buffer {
  const stamp = date.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return tagged(0x18, Buffer.from(stamp));
}

/** Any other tag: context-specific ones and those of names. */
export function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), length(body.length), body]);
}

function length(size: number): Buffer {
  if (size < 128) return Buffer.of(size);
  const bytes = size < 256 ? [size] : [size >> 8, size & 255];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const digits = [value & 127];
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 127) | 128);
  return digits;
}
