import { decode, ExtData, ExtensionCodec, encode } from "@msgpack/msgpack";

/** The extension type of 64-bit ids; its content is a MessagePack integer. */
const idExtension = 1;
const maxPlain = 0xffff_ffff;
const maxDepth = 64;
const idKey = /^(id|sender|owner|.*Ids?)$/;

/** The body is not MessagePack, or contains values that the server rejects. */
export class BadBody extends Error {}

/** Which ids are wrapped: those above 32 bits, or all, as the web client does. */
export type IdWrapping = "large" | "all";

const extensions = new ExtensionCodec();
extensions.register({
  type: idExtension,
  encode: () => null,
  decode: (content) => {
    const id = decode(content, { useBigInt64: true });
    if (typeof id === "bigint" || Number.isInteger(id)) return id;
    throw new BadBody("an id must be an integer");
  },
});

/** A payload as MessagePack: bigints and large ids wrapped, other large integers as 64 bits. */
export function encodeBody(payload: unknown, wrapping: IdWrapping): Uint8Array {
  const prepared = prepare(payload, { key: "", wrapping });
  return encode(prepared, { useBigInt64: true, ignoreUndefined: true });
}

function prepare(value: unknown, context: { key: string; wrapping: IdWrapping }): unknown {
  if (typeof value === "bigint") return wrap(value);
  if (typeof value === "number" && Number.isInteger(value)) return prepareInteger(value, context);
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => prepare(item, context));
  const entries = Object.entries(value).map(([key, item]) => [key, prepare(item, { ...context, key })]);
  return Object.fromEntries(entries);
}

function prepareInteger(value: number, { key, wrapping }: { key: string; wrapping: IdWrapping }): unknown {
  const isLarge = Math.abs(value) > maxPlain;
  if (idKey.test(key) && (isLarge || wrapping === "all")) return wrap(isLarge ? BigInt(value) : value);
  return isLarge ? BigInt(value) : value;
}

function wrap(id: bigint | number): ExtData {
  return new ExtData(idExtension, encode(id, { useBigInt64: true }));
}

/**
 * Parses MessagePack. Integers become numbers if these are exact, otherwise bigints. Throws `BadBody`, also for whole
 * numbers beyond 32 bits encoded as floats, which the server rejects.
 */
export function decodeBody(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = decode(bytes, { extensionCodec: extensions, useBigInt64: true });
  } catch (error) {
    throw new BadBody(error instanceof Error ? error.message : String(error));
  }
  return narrow(value, 0);
}

function narrow(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw new BadBody("nested too deeply");
  if (typeof value === "bigint") return isExact(value) ? Number(value) : value;
  if (typeof value === "number") return checkNumber(value);
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (value instanceof ExtData || value instanceof Date) throw new BadBody("unknown extension type");
  if (Array.isArray(value)) return value.map((item) => narrow(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, narrow(item, depth + 1)]));
}

function checkNumber(value: number): number {
  if (Number.isInteger(value) && Math.abs(value) > maxPlain)
    throw new BadBody("a whole number must not be a float");
  return value;
}

function isExact(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}
