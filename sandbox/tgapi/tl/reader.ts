import Long from "long";
import type { Combinator, Parameter, Schema } from "./schema.ts";
import { ids, TlError, type TlObject } from "./value.ts";

/** Types that stand for any constructor. */
const anything = new Set(["X", "Object"]);

/** Reads serialized TL; throws `TlError` for data that the schema does not allow. */
export class TlReader {
  readonly #schema: Schema;
  readonly #bytes: Buffer;
  #at: number;

  constructor(schema: Schema, bytes: Uint8Array, at = 0) {
    this.#schema = schema;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get position(): number {
    return this.#at;
  }

  /** The next constructor id, without advancing. */
  peek(): number {
    this.#need(4);
    return this.#bytes.readUInt32LE(this.#at);
  }

  int(): number {
    return this.#bytes.readInt32LE(this.#step(4));
  }

  uint(): number {
    return this.#bytes.readUInt32LE(this.#step(4));
  }

  long(): Long {
    const at = this.#step(8);
    return new Long(this.#bytes.readInt32LE(at), this.#bytes.readInt32LE(at + 4));
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#step(8));
  }

  raw(length: number): Buffer {
    const at = this.#step(length);
    return this.#bytes.subarray(at, at + length);
  }

  bytes(): Buffer {
    const first = this.raw(1)[0] ?? 0;
    const length = first === 254 ? this.raw(3).readUIntLE(0, 3) : first;
    const value = this.raw(length);
    const header = first === 254 ? 4 : 1;
    this.raw((4 - ((header + length) % 4)) % 4);
    return value;
  }

  /** A call: its constructor must be a method. The call inside a wrapper is left for the next read. */
  method(): TlObject {
    const id = this.uint();
    const combinator = this.#schema.byId(id);
    if (combinator?.isMethod !== true) throw new TlError("method", id);
    return this.#fields(combinator);
  }

  /** Continues with the combinators of another layer. */
  inSchema(schema: Schema): TlReader {
    return new TlReader(schema, this.#bytes, this.#at);
  }

  /** A boxed object of the expected type. */
  object(expected = "X"): TlObject {
    const id = this.uint();
    const combinator = this.#schema.byId(id);
    const fits = combinator && (anything.has(expected) || combinator.type === expected);
    if (!fits || (combinator.isMethod && !anything.has(expected))) throw new TlError("constructor", id);
    return this.#fields(combinator);
  }

  vector(type: string): unknown[] {
    const id = this.uint();
    if (id !== ids.vector) throw new TlError("constructor", id);
    return this.#elements(type);
  }

  #fields({ name, parameters }: Combinator): TlObject {
    const fields: Record<string, unknown> = { _: name };
    for (const parameter of parameters) if (parameter.type !== "X") this.#readInto(fields, parameter);
    return fields as unknown as TlObject;
  }

  #readInto(fields: Record<string, unknown>, parameter: Parameter): void {
    const { name, type, condition } = parameter;
    if (condition) {
      const flags = fields[condition.field];
      const isSet = typeof flags === "number" && ((flags >>> condition.bit) & 1) === 1;
      if (type === "true") fields[name] = isSet;
      if (type === "true" || !isSet) return;
    }
    fields[name] = parameter.isVector ? this.#vectorOf(parameter) : this.#value(type);
  }

  #vectorOf({ type, isBare }: Parameter): unknown[] {
    return isBare ? this.#elements(type) : this.vector(type);
  }

  #elements(type: string): unknown[] {
    const count = this.uint();
    if (count > this.#bytes.length) throw new TlError("fetch");
    return Array.from({ length: count }, () => this.#value(type));
  }

  #value(type: string): unknown {
    switch (type) {
      case "int":
        return this.int();
      case "#":
        return this.uint();
      case "long":
        return this.long();
      case "int53":
        return this.long().toNumber();
      case "int128":
        return this.raw(16);
      case "int256":
        return this.raw(32);
      case "double":
        return this.double();
      case "string":
        return this.bytes().toString("utf8");
      case "bytes":
        return this.bytes();
      case "Bool":
        return this.#bool();
      default:
        return this.object(type);
    }
  }

  #bool(): boolean {
    const id = this.uint();
    if (id !== ids.boolTrue && id !== ids.boolFalse) throw new TlError("constructor", id);
    return id === ids.boolTrue;
  }

  #step(length: number): number {
    this.#need(length);
    const at = this.#at;
    this.#at += length;
    return at;
  }

  #need(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new TlError("fetch");
  }
}
