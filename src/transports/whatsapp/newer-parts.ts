import type { proto } from "baileys";
import { joined } from "../kit/words.ts";

/**
 * What a message has beyond the library's schema, which the generated decoder skips: WhatsApp's clients got these fields
 * of `Message` in 2026 (`WAWebProtobufsE2E.proto` of the whatsmeow project, fields 115 to 126).
 */
export interface NewerPart {
  readonly field: number;
  /** Null: the field is unknown here too. */
  readonly kind: string | null;
  /** The content of a wrapper. */
  readonly message?: proto.IMessage;
  /** What a person can read of it. */
  readonly text?: string;
}
/** A decoded message. The property passes through copies and JSON. */
export type NewerMessage = proto.IMessage & { readonly newerParts?: readonly NewerPart[] };

type Wire = typeof proto;
type Reader = Parameters<Wire["Message"]["decode"]>[0];

/** Which fields the library's version does not know. */
const LAST_KNOWN = 114;
const WRAPPERS: ReadonlySet<number> = new Set([116, 117, 118, 126]);
/** Their texts, by number of the field; a path leads into an object. */
const TEXTS: ReadonlyMap<number, { readonly kind: string; readonly texts: readonly (readonly number[])[] }> =
  new Map([
    [121, { kind: "poll add option", texts: [[2, 1]] }],
    [122, { kind: "event invite", texts: [[3], [6], [9]] }],
    [124, { kind: "payment reminder", texts: [[3]] }],
    [125, { kind: "split payment", texts: [[3]] }],
  ]);
/** Encrypted content, and keys. */
const SILENT: ReadonlySet<number> = new Set([120, 123]);

/**
 * Lets the library decode what its schema lacks: newer polls and results become the kinds that it knows, other fields
 * are in `newerParts`. Patches the generated decoder, which also decodes the messages inside others.
 */
export function decodeNewerParts({ Message }: Wire): void {
  const decode = Message.decode.bind(Message);
  Message.decode = (reader: Reader, ...rest: unknown[]) => {
    const bytes = bytesOf(reader, rest[0]);
    const message = (decode as (...input: unknown[]) => proto.Message)(reader, ...rest);
    const fields = fieldsIn(bytes).filter(([field]) => field > LAST_KNOWN);
    if (fields.length === 0) return message;
    const newerParts = fields.flatMap(([field, part]) => readField(Message, message, field, part));
    return newerParts.length === 0 ? message : withParts(message, newerParts);
  };
}

/** The message's own JSON has only the fields of the schema. */
function withParts(message: proto.Message, newerParts: readonly NewerPart[]): proto.Message {
  const json = message.toJSON.bind(message);
  return Object.defineProperty(Object.assign(message, { newerParts }), "toJSON", {
    value: () => ({ ...json(), newerParts }),
  });
}

/** The bytes that the decoder will read. */
function bytesOf(reader: Reader, length: unknown): Uint8Array {
  if (reader instanceof Uint8Array) return reader;
  const { buf, pos, len } = reader;
  return buf.subarray(pos, typeof length === "number" ? pos + length : len);
}

function readField(
  { PollCreationMessage, PollResultSnapshotMessage, FutureProofMessage }: Wire["Message"],
  message: proto.Message,
  field: number,
  part: Uint8Array,
): NewerPart[] {
  try {
    if (field === 115) message.pollResultSnapshotMessage ??= PollResultSnapshotMessage.decode(part);
    else if (field === 119) message.pollCreationMessageV3 ??= PollCreationMessage.decode(part);
    else if (WRAPPERS.has(field)) {
      const { message: inner } = FutureProofMessage.decode(part);
      return inner == null ? [] : [{ field, kind: "wrapper", message: inner }];
    } else if (TEXTS.has(field)) return [readTexts(field, part)];
    else if (!SILENT.has(field)) return [unknownPart(FutureProofMessage, field, part)];
    return [];
  } catch {
    return [{ field, kind: null }];
  }
}

function readTexts(field: number, part: Uint8Array): NewerPart {
  const { kind = "", texts = [] } = TEXTS.get(field) ?? {};
  const text = joined(texts.map((path) => textAt(part, path)));
  return { field, kind, ...(text === null ? {} : { text }) };
}

/** New kinds usually are wrappers. Other bytes may look like one, so that nothing of them may be lost in it. */
function unknownPart(
  { decode, encode }: Wire["Message"]["FutureProofMessage"],
  field: number,
  part: Uint8Array,
): NewerPart {
  const wrapper = decode(part);
  const isWhole = Buffer.compare(encode(wrapper).finish(), part) === 0;
  const { message } = wrapper;
  return { field, kind: null, ...(isWhole && message != null ? { message } : {}) };
}

function textAt(bytes: Uint8Array, [field, ...rest]: readonly number[]): string | undefined {
  const part = fieldsIn(bytes).find(([number]) => number === field)?.[1];
  if (part === undefined) return undefined;
  return rest.length === 0 ? new TextDecoder().decode(part) : textAt(part, rest);
}

/** The fields of a protobuf message that have a length, in order; those before an invalid one. */
function fieldsIn(bytes: Uint8Array): (readonly [number, Uint8Array])[] {
  const fields: (readonly [number, Uint8Array])[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; at < bytes.length; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else if (type === 2) {
      const length = varint();
      if (!(at + length <= bytes.length)) break;
      fields.push([field, bytes.subarray(at, at + length)]);
      at += length;
    } else break;
  }
  return fields;
}
