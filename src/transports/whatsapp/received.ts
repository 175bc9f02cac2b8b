import type { BinaryNode, MessageUserReceiptUpdate, WAMessage, WAMessageUpdate } from "baileys";
import { BufferJSON } from "./library.ts";

/** Something that came, as a dead letter keeps it. */
export type Received =
  | { readonly kind: "message"; readonly message: WAMessage }
  | { readonly kind: "stanza"; readonly node: BinaryNode }
  | { readonly kind: "updates"; readonly updates: readonly WAMessageUpdate[] }
  | { readonly kind: "group receipts"; readonly updates: readonly MessageUserReceiptUpdate[] };

/** A JSON value in which bytes are marked as such. */
export function encodeReceived(received: Received): unknown {
  return JSON.parse(JSON.stringify(received, BufferJSON.replacer));
}

/** Throws for what `encodeReceived` did not make. */
export function decodeReceived(letter: unknown): Received {
  const received = JSON.parse(JSON.stringify(letter), BufferJSON.reviver) as Partial<Received> | null;
  if (received === null || !KINDS.includes(String(received.kind)))
    throw new Error("This is not what the transport keeps");
  return received as Received;
}

const KINDS: readonly string[] = [
  "message",
  "stanza",
  "updates",
  "group receipts",
] satisfies Received["kind"][];
