import { assert, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { BadBlock, compressBlock, decompressBlock } from "./lz4.ts";

/** Blocks of the reference program (`lz4` 1.9.4, levels 1 and 9), extracted from its frames. */
const reference: readonly (readonly [content: string, plain: Buffer, hex: string])[] = [
  ["a repeated word", Buffer.from("abcd".repeat(10)), "4f6162636404000c506461626364"],
  ["Cyrillic", Buffer.from("привет ".repeat(20)), "dfd0bfd180d0b8d0b2d0b5d182200d00df50d0b5d18220"],
  ["an overlapping match with a long length", Buffer.alloc(300), "1f000100ff14500000000000"],
];

describe("LZ4 blocks", () => {
  test.each(reference)("of the reference program are decompressed: %s", (_, plain, hex) => {
    expect(decompressBlock(Buffer.from(hex, "hex"), plain.length)).toEqual(plain);
  });

  test.each(reference)("are compressed like by the reference program: %s", (_, plain, hex) => {
    expect(compressBlock(plain).toString("hex")).toBe(hex);
  });

  test("decompress to what was compressed", () => {
    const text = Buffer.from('{"chatId":7001,"text":"hello"},'.repeat(40));
    for (const plain of [Buffer.alloc(0), Buffer.from("x"), Buffer.alloc(100_000), text])
      expect(decompressBlock(compressBlock(plain), plain.length)).toEqual(plain);
    assert(
      property(uint8Array({ maxLength: 2000, max: 3 }), (plain) => {
        expect(decompressBlock(compressBlock(plain), plain.length)).toEqual(Buffer.from(plain));
      }),
    );
  });

  const broken: readonly (readonly [what: string, hex: string])[] = [
    ["nothing at all", ""],
    ["literals that are cut short", "4f616263"],
    ["half an offset", "1061" + "01"],
    ["an offset of zero", "10610000"],
    ["an offset before the block", "10610200"],
    ["an endless length", "f0ffffff"],
    ["no sequence after a match", "10610100"],
    ["more than was allowed", "1f000100ff14500000000000"],
  ];

  test.each(broken)("are refused: %s", (_, hex) => {
    expect(() => decompressBlock(Buffer.from(hex, "hex"), 100)).toThrow(BadBlock);
  });

  test("allocate no more memory than their content, whatever they declare", () => {
    const bomb = Buffer.concat([
      Buffer.from("1f000100", "hex"),
      Buffer.alloc(1 << 20, 255),
      Buffer.from("00", "hex"),
    ]);
    expect(() => decompressBlock(bomb, 1 << 20)).toThrow(BadBlock);
    assert(
      property(uint8Array({ maxLength: 300 }), (noise) => {
        try {
          expect(decompressBlock(noise, 10_000).length).toBeLessThanOrEqual(10_000);
        } catch (error) {
          expect(error).toBeInstanceOf(BadBlock);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
