import { createRequire } from "node:module";
import { create } from "qrcode";

const require = createRequire(import.meta.url);
const { PNG } = require("pngjs") as { PNG: { sync: { read(bytes: Buffer): Picture } } };
const codes = require("qrcode/lib/core/error-correction-code.js") as {
  getBlocksCount(version: number, level: { bit: number }): number;
  getTotalCodewordsCount(version: number, level: { bit: number }): number;
};
const sizes = require("qrcode/lib/core/utils.js") as { getSymbolTotalCodewords(version: number): number };

interface Picture {
  readonly width: number;
  readonly data: Buffer;
}

type Matrix = readonly (readonly boolean[])[];

const { L: LEVEL_L } = require("qrcode/lib/core/error-correction-level.js") as { L: { bit: number } };
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i * j) % 3) + ((i + j) % 2)) % 2 === 0,
];

/** Decodes the QR code of a data URL: upright, undamaged, level L, one byte segment. */
export function readQr(dataUrl: string): string {
  const picture = PNG.sync.read(Buffer.from(dataUrl.replace(/^data:image\/png;base64,/, ""), "base64"));
  const matrix = modulesOf(picture);
  const version = (matrix.length - 17) / 4;
  const bytes = dataOf(codewordsOf(matrix, version), version);
  return textOf(bytes, version);
}

/** Determines the module size from the first row of the corner, which has seven dark modules. */
function modulesOf({ width, data }: Picture): Matrix {
  const isDark = (x: number, y: number): boolean => (data[(y * width + x) * 4] ?? 255) < 128;
  const start = Array.from({ length: width }, (_, at) => at).find((at) => isDark(at, at)) ?? 0;
  let end = start;
  while (isDark(end, start)) end++;
  const scale = (end - start) / 7;
  const count = (width - 2 * start) / scale;
  const place = (at: number): number => start + at * scale + Math.floor(scale / 2);
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (__, column) => isDark(place(column), place(row))),
  );
}

/** The bits in zigzag order through the matrix, unmasked. */
function codewordsOf(matrix: Matrix, version: number): number[] {
  const size = matrix.length;
  const reserved = create("x", { version, errorCorrectionLevel: "L" }).modules.reservedBit;
  const mask = MASKS[maskOf(matrix)] ?? (() => false);
  const bits: boolean[] = [];
  let isUpward = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++) {
      const row = isUpward ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (reserved[row * size + column]) continue;
        bits.push((matrix[row]?.[column] ?? false) !== mask(row, column));
      }
    }
    isUpward = !isUpward;
  }
  const bytes: number[] = [];
  for (let at = 0; at + 8 <= bits.length; at += 8)
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + Number(bit), 0));
  return bytes;
}

/** Three bits beside the upper left corner, with a fixed mask. */
function maskOf(matrix: Matrix): number {
  const bit = (column: number): number => Number(matrix[8]?.[column] ?? false);
  return (bit(2) * 4 + bit(3) * 2 + bit(4)) ^ 0b101;
}

/** Blocks are interleaved; those of the second group are one byte longer. */
function dataOf(codewords: readonly number[], version: number): number[] {
  const blocks = codes.getBlocksCount(version, LEVEL_L);
  const total = sizes.getSymbolTotalCodewords(version);
  const dataTotal = total - codes.getTotalCodewordsCount(version, LEVEL_L);
  const short = Math.floor(dataTotal / blocks);
  const longFrom = blocks - (total % blocks);
  const parts: number[][] = Array.from({ length: blocks }, () => []);
  let at = 0;
  for (let index = 0; index <= short; index++)
    for (let block = 0; block < blocks; block++)
      if (index < short || block >= longFrom) parts[block]?.push(codewords[at++] ?? 0);
  return parts.flat();
}

function textOf(bytes: readonly number[], version: number): string {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  if (bits.slice(0, 4) !== "0100") throw new Error("The QR code does not hold bytes");
  const countBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(bits.slice(4, 4 + countBits), 2);
  const start = 4 + countBits;
  const text = Array.from({ length }, (_, at) =>
    Number.parseInt(bits.slice(start + at * 8, start + at * 8 + 8), 2),
  );
  return Buffer.from(text).toString();
}
