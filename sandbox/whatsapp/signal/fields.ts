/** A field of a Protocol Buffers message, as far as Signal's messages need it: a number or bytes. */
export type Field = readonly [number: number, value: number | Uint8Array];

/** Encodes numbers as varints and bytes with their length, in the given order. */
export function encodeFields(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) =>
      typeof value === "number"
        ? [varint(number << 3), varint(value)]
        : [varint((number << 3) | 2), varint(value.length), value],
    ),
  );
}

/** The fields of a message; the last one of a repeated field. Throws for types other than varints and bytes. */
export class FieldReader {
  readonly #fields = new Map<number, number | Buffer>();

  constructor(message: Uint8Array) {
    const bytes = Buffer.from(message);
    for (let at = 0; at < bytes.length; ) {
      const [tag, afterTag] = readVarint(bytes, at);
      const [value, afterValue] = readVarint(bytes, afterTag);
      const isBytes = (tag & 7) === 2;
      if (!isBytes && (tag & 7) !== 0) throw new Error(`a field of wire type ${tag & 7}`);
      at = isBytes ? afterValue + value : afterValue;
      if (at > bytes.length) throw new Error("a field beyond the end");
      this.#fields.set(tag >>> 3, isBytes ? bytes.subarray(afterValue, at) : value);
    }
  }

  number(field: number): number | undefined {
    const value = this.#fields.get(field);
    return typeof value === "number" ? value : undefined;
  }

  bytes(field: number): Buffer {
    const value = this.#fields.get(field);
    if (value instanceof Buffer) return value;
    throw new Error(`field ${field} is missing`);
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  for (let index = at, factor = 1; index < bytes.length; index++, factor *= 128) {
    const byte = bytes[index] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return [value, index + 1];
  }
  throw new Error("a number beyond the end");
}
