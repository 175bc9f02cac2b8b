import Long from "long";
import type { Combinator, Parameter, Schema } from "./schema.ts";
import { ids, type TlObject } from "./value.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Serializes TL. Throws if a required field is missing, which is a bug of the emulator. */
export class TlWriter {
  readonly #schema: Schema;
  #buffer = Buffer.alloc(256);
  #length = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  int(value: number): this {
    const at = this.#grow(4);
    this.#buffer.writeInt32LE(value | 0, at);
    return this;
  }

  uint(value: number): this {
    const at = this.#grow(4);
    this.#buffer.writeUInt32LE(value >>> 0, at);
    return this;
  }

  long(value: Long): this {
    return this.int(value.low).int(value.high);
  }

  raw(value: Uint8Array): this {
    const at = this.#grow(value.length);
    this.#buffer.set(value, at);
    return this;
  }

  bytes(value: Uint8Array): this {
    const { length } = value;
    if (length < 254) this.raw(Buffer.from([length]));
    else this.uint(((length << 8) | 254) >>> 0);
    const header = length < 254 ? 1 : 4;
    return this.raw(value).raw(Buffer.alloc((4 - ((header + length) % 4)) % 4));
  }

  object(value: TlObject): this {
    const combinator = this.#find(value._);
    this.uint(combinator.id);
    return this.#fields(combinator, value);
  }

  #find(name: string): Combinator {
    const combinator = this.#schema.byName(name);
    if (!combinator) throw new Error(`layer ${this.#schema.layer} has no ${name}`);
    return combinator;
  }

  #fields(combinator: Combinator, value: TlObject): this {
    const fields = value as unknown as Fields;
    const flags = flagsOf(combinator, fields);
    for (const parameter of combinator.parameters) {
      if (parameter.type === "#") this.uint(flags[parameter.name] ?? 0);
      else if (parameter.type !== "true" && isThere(value, parameter, flags))
        this.#parameter(parameter, fields[parameter.name]);
    }
    return this;
  }

  vector(type: string, values: readonly unknown[]): this {
    this.uint(ids.vector);
    return this.#elements(type, values);
  }

  /** A value in the form in which methods return it. */
  value(type: string, value: unknown): this {
    switch (type) {
      case "int":
        return this.int(Number(value));
      case "#":
        return this.uint(Number(value));
      case "long":
      case "int53":
        return this.long(typeof value === "number" ? Long.fromNumber(value) : (value as Long));
      case "int128":
      case "int256":
        return this.raw(value as Uint8Array);
      case "double":
        return this.#double(Number(value));
      case "string":
      case "bytes":
        return this.bytes(typeof value === "string" ? Buffer.from(value) : (value as Uint8Array));
      case "Bool":
        return this.uint(value === true ? ids.boolTrue : ids.boolFalse);
      default:
        return this.object(value as TlObject);
    }
  }

  #double(value: number): this {
    const at = this.#grow(8);
    this.#buffer.writeDoubleLE(value, at);
    return this;
  }

  #parameter({ type, isVector, isBare }: Parameter, value: unknown): void {
    if (!isVector) this.value(type, value);
    else if (isBare) this.#bareElements(type, value as readonly TlObject[]);
    else this.vector(type, value as readonly unknown[]);
  }

  #elements(type: string, values: readonly unknown[]): this {
    this.uint(values.length);
    for (const each of values) this.value(type, each);
    return this;
  }

  #bareElements(type: string, values: readonly TlObject[]): this {
    this.uint(values.length);
    for (const each of values) this.#fields(this.#find(type), each);
    return this;
  }

  /** Ensures room for this many bytes; may replace the buffer. */
  #grow(length: number): number {
    const at = this.#length;
    this.#length += length;
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(this.#buffer.length * 2, this.#length));
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    return at;
  }
}

/** Whether to write a parameter. If several share a bit, all or none of them must be set. */
function isThere(
  value: TlObject,
  { name, condition }: Parameter,
  flags: Readonly<Record<string, number>>,
): boolean {
  if ((value as unknown as Fields)[name] !== undefined) return true;
  if (condition && (((flags[condition.field] ?? 0) >>> condition.bit) & 1) === 0) return false;
  throw new Error(`${value._} lacks ${name}`);
}

function flagsOf({ parameters }: Combinator, fields: Fields): Record<string, number> {
  const flags: Record<string, number> = {};
  for (const { name, type, condition } of parameters) {
    if (!condition) continue;
    const isSet = type === "true" ? fields[name] === true : fields[name] !== undefined;
    if (isSet) flags[condition.field] = (flags[condition.field] ?? 0) | (1 << condition.bit);
  }
  return flags;
}

/** One object, serialized. */
export function encode(schema: Schema, value: TlObject): Buffer {
  return new TlWriter(schema).object(value).finish();
}
