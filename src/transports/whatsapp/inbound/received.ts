import type { BinaryNode, MessageUserReceiptUpdate, WAMessage, WAMessageUpdate } from "baileys";
import { BufferJSON } from "../library.ts";

/** A received item, as stored in a dead letter. */
export type Received =
  | { readonly kind: "message"; readonly message: WAMessage }
  | { readonly kind: "stanza"; readonly node: BinaryNode }
  | { readonly kind: "updates"; readonly updates: readonly WAMessageUpdate[] }
  | { readonly kind: "group receipts"; readonly updates: readonly MessageUserReceiptUpdate[] };

/** Whether the item stays in the vault until core has it: the journal or the kept notices emit it at the next start. */
export function isKept(received: Received | undefined): boolean {
  return received?.kind === "message" || received?.kind === "stanza";
}

/** A JSON value in which byte arrays are marked. */
export function encodeReceived(received: Received): unknown {
  return JSON.parse(JSON.stringify(received, BufferJSON.replacer));
}

/** Throws if the value was not made by `encodeReceived`. */
export function decodeReceived(letter: unknown): Received {
  const received = JSON.parse(JSON.stringify(letter), BufferJSON.reviver) as Partial<Received> | null;
  if (received === null || !KINDS.includes(String(received.kind)))
    throw new Error("This is not a dead letter of this transport");
  return received as Received;
}

const KINDS: readonly string[] = [
  "message",
  "stanza",
  "updates",
  "group receipts",
] satisfies Received["kind"][];
