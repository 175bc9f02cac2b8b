import type { Readable } from "node:stream";

/** The other side sent more than the limit. */
class BodyTooBig extends Error {
  override readonly name = "BodyTooBig";
  constructor(maxBytes: number) {
    super(`The response is larger than ${maxBytes} bytes`);
  }
}

/**
 * Reads a body into memory, up to a limit. With `keepPart`, a body that is too large or ends early is truncated
 * instead of discarded; for responses that are only inspected.
 */
export async function collectBytes(
  body: Readable,
  maxBytes: number,
  options: { keepPart?: boolean } = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new BodyTooBig(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (options.keepPart !== true) throw error;
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}
