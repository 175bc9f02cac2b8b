import { describe, expect, test } from "vitest";
import { FrameReader, frame, intro } from "./frames.ts";

const content = [Buffer.from("one"), Buffer.alloc(0), Buffer.alloc(70_000, 7)];
const stream = Buffer.concat([intro, ...content.map(frame)]);
const routed = Buffer.concat([Buffer.from("45440001000003aabbcc", "hex"), stream]);

describe("frames", () => {
  test.each([
    ["whole", stream, stream.length],
    ["byte by byte", stream.subarray(0, 60), 1],
    ["in pieces, with a routing prefix", routed, 9],
  ])("%s", (_, bytes, step) => {
    const reader = new FrameReader();
    const frames: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += step)
      frames.push(...reader.push(bytes.subarray(at, at + step)));
    expect(frames).toEqual(content.slice(0, frames.length));
    expect(frames.length).toBe(bytes.length < 100 ? 2 : 3);
    expect(reader.routing?.toString("hex")).toBe(bytes === routed ? "aabbcc" : undefined);
  });

  test.each(["57410503", "474554202f", "4544000200000057410603"])("%s is refused", (start) => {
    expect(() => new FrameReader().push(Buffer.from(start, "hex"))).toThrow(/begin with WA|routing/);
  });
});
