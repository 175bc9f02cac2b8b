import { createRequire } from "node:module";

interface Picture {
  readonly data: Buffer;
}
const require = createRequire(import.meta.url);
/** The package has no types. */
const { PNG } = require("pngjs") as {
  PNG: (new (size: {
    width: number;
    height: number;
  }) => Picture) & { sync: { write(picture: Picture): Buffer } };
};

/** A picture of slanted stripes. */
export function png(width: number, height: number): Buffer {
  const image = new PNG({ width, height });
  for (let at = 0; at < width * height; at++) {
    const isDark = Math.floor((at % width) + at / width) % 40 < 20;
    image.data.set(isDark ? [36, 87, 214, 255] : [126, 166, 255, 255], at * 4);
  }
  return PNG.sync.write(image);
}

const RATE = 8_000;

/** A sound of whole seconds that fades in and out: PCM, 8 bits, one channel. */
export function wav(seconds: number): Buffer {
  const samples = Buffer.alloc(RATE * seconds);
  for (let at = 0; at < samples.length; at++)
    samples[at] = 128 + 100 * Math.sin(at / 4) * Math.abs(Math.sin(at / 2_500));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
