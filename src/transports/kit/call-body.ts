import { parseBounded } from "../../platform/foreign/bounded-json.ts";
import { messageOf } from "../../platform/message-of.ts";

/**
 * The largest number of values in a call that reports one event. VK's are the largest: a message with a hundred
 * forwarded ones, each with ten pictures, would have twice as many, but VK crops it.
 */
const MAX_VALUES = 30_000;

/** The largest body of such a call; VK's are the largest here as well. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The JSON of a call, or its text with the reason why it cannot be read, for a dead letter. */
export type CallBody = { readonly json: unknown } | { readonly text: string; readonly reason: string };

/**
 * Parses the body of a call whose caller is verified. Nesting and number of values are bounded before anything is
 * built (`parseBounded`), because tenants know the secrets of their own channels. A body that cannot be read is a dead
 * letter and acknowledged: the messenger would only repeat it.
 */
export function readCall(
  body: Uint8Array,
  {
    maxValues = MAX_VALUES,
    maxBytes = MAX_BYTES,
  }: { readonly maxValues?: number; readonly maxBytes?: number } = {},
): CallBody {
  const text = new TextDecoder().decode(body);
  if (body.length > maxBytes) return { text, reason: `The body has more than ${maxBytes} bytes` };
  try {
    return { json: parseBounded(text, maxValues) };
  } catch (error) {
    return { text, reason: messageOf(error) };
  }
}
