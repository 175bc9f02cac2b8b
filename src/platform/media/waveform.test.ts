import { describe, expect, test } from "vitest";
import { Loudness } from "./waveform.ts";

function waveformOf(frames: readonly number[], places = 64, framesPerPlace = 2): number[] {
  const loudness = new Loudness(places, framesPerPlace);
  loudness.add(Float32Array.from(frames));
  return [...loudness.waveform()];
}

describe("a waveform", () => {
  test.each<[string, readonly number[]]>([
    ["nothing", []],
    ["silence", [0, 0, 0, 0]],
  ])("of %s is flat", (_, frames) => {
    expect(waveformOf(frames)).toEqual(Array(64).fill(0));
  });

  test("of less than one place shows what there is", () => {
    expect(waveformOf([0.5])).toEqual(Array(64).fill(100));
  });

  test("is loud where the recording is, whatever its sign and its level", () => {
    const half = Array<number>(64).fill(0.1);
    const waveform = waveformOf([...half.map((each) => -each / 2), ...half]);
    expect(waveform.slice(0, 32)).toEqual(Array(32).fill(50));
    expect(waveform.slice(32)).toEqual(Array(32).fill(100));
  });

  test("of a long recording has the same form as of a short one", () => {
    const long = Array.from({ length: 100_000 }, (_, index) => index / 100_000);
    const waveform = waveformOf(long);
    expect(waveform).toHaveLength(64);
    expect(waveform.at(-1)).toBe(100);
    expect(waveform).toEqual(waveform.toSorted((a, b) => a - b));
    // Half of the way, half as loud.
    expect(Math.abs((waveform[31] ?? 0) - 50)).toBeLessThan(3);
  });
});
