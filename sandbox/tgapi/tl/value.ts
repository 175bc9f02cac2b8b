import type { mtp, tl } from "@mtcute/core";

/** An object of the TL schema: its constructor's name, and its fields in camel case. */
export interface TlObject {
  readonly _: string;
}

/** Objects sent by the server, type-checked against the schema by the types of mtcute. */
export type ServerObject = tl.TlObject | mtp.TlObject;

/** Constructor ids that are not part of a schema. */
export const ids = {
  vector: 0x1cb5c415,
  boolTrue: 0x997275b5,
  boolFalse: 0xbc799737,
  container: 0x73f1f8dc,
  gzip: 0x3072cfa1,
  rpcResult: 0xf35c6d01,
} as const;

/** Invalid data: an unknown or unexpected method or constructor, or too few bytes. */
export class TlError extends Error {
  readonly kind: "method" | "constructor" | "fetch";
  readonly id: number;

  constructor(kind: TlError["kind"], id = 0) {
    super(`${kind} ${id.toString(16)}`);
    this.kind = kind;
    this.id = id;
  }
}
