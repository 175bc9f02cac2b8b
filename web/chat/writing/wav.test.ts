import { expect, test } from "vitest";
import { wavOf } from "./wav.ts";

test("a WAV file has a head with its sizes, and samples of 16 bits that are cut at their limits", () => {
  const channels = [Float32Array.of(0, 1, -1, 2, 0.5), Float32Array.of(0, 1, -1, 2, 0)];
  const buffer = wavOf(channels, 16_000);
  const file = new DataView(buffer);
  const text = (from: number, to: number) => new TextDecoder().decode(buffer.slice(from, to));
  expect(buffer.byteLength).toBe(44 + 10);
  expect([text(0, 4), text(8, 16), text(36, 40)]).toEqual(["RIFF", "WAVEfmt ", "data"]);
  expect([file.getUint32(4, true), file.getUint32(40, true)]).toEqual([46, 10]);
  expect([file.getUint16(20, true), file.getUint16(22, true), file.getUint32(24, true)]).toEqual([
    1, 1, 16_000,
  ]);
  const samples = Array.from({ length: 5 }, (_, index) => file.getInt16(44 + index * 2, true));
  expect(samples).toEqual([0, 32_767, -32_768, 32_767, 8_192]);
});

test("a recording without samples is a whole file", () =>
  expect(new DataView(wavOf([], 16_000)).getUint32(40, true)).toBe(0));
