import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compress, decompress } from "./lz4.ts";

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Written by hand from the description of the block format: token, literals, distance, longer lengths. */
test.each([
  ["nothing", "00", ""],
  ["literals alone", "50 68656c6c6f", "hello"],
  ["fifteen literals and more", `f0 05 ${"61".repeat(20)}`, "a".repeat(20)],
  ["a match that repeats itself", "1f 61 0100 00 50 6263646566", `${"a".repeat(20)}bcdef`],
  ["a match of two letters", "24 6162 0200 50 6364656667", `${"ab".repeat(5)}cdefg`],
  ["a long match", `1f 61 0100 ff 00 50 6263646566`, `${"a".repeat(1 + 19 + 255)}bcdef`],
])("decompresses %s", (_, block, expected) => {
  expect(textOf(decompress(hex(block), 1_000))).toBe(expected);
});

describe("refuses", () => {
  test.each([
    ["an empty block", ""],
    ["literals that are missing", "50 6865"],
    ["a length that is missing", "f0"],
    ["a distance that is missing", "1f 61 01"],
    ["the distance 0", "14 61 0000 50 6263646566"],
    ["a distance before the beginning", "14 61 0200 50 6263646566"],
    ["an end after a match", "14 61 0100"],
  ])("%s", (_, block) => {
    expect(() => decompress(hex(block), 1_000)).toThrow(/block/);
  });

  test("output above the limit, before producing it", () => {
    const bomb = compress(new Uint8Array(1_000_000));
    expect(bomb.length).toBeLessThan(5_000);
    expect(() => decompress(bomb, 1_000)).toThrow("larger than it declares");
    expect(() => decompress(hex("50 68656c6c6f"), 4)).toThrow("larger than it declares");
  });
});

/** Random and repeated bytes, so that there is something to compress. */
const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 3_000 }),
  fc
    .tuple(
      fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 99 }),
    )
    .map(([parts, times]) => Buffer.concat(Array.from({ length: times }, () => parts).flat())),
);

test("decompresses to what was compressed", () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      const back = decompress(compress(bytes), bytes.length);
      expect(Buffer.compare(back, bytes)).toBe(0);
    }),
  );
});

test("ends a block with five literals, as the format requires", () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      const block = compress(bytes);
      const tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - 5)));
      expect(Buffer.from(block.subarray(block.length - tail.length)).equals(tail)).toBe(true);
    }),
  );
});

test("rejects arbitrary bytes with `BadLz4`", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.integer({ min: 0, max: 5_000 }), (bytes, limit) => {
      try {
        expect(decompress(bytes, limit).length).toBeLessThanOrEqual(limit);
      } catch (error) {
        expect(String(error)).toContain("BadLz4");
      }
    }),
  );
});
