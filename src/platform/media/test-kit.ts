import { writeFile } from "node:fs/promises";
import {
  type AudioCodec,
  BufferSource,
  BufferTarget,
  Conversion,
  Input,
  Mp3OutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
  VideoSample,
  VideoSampleSource,
  WAVE,
  WebMOutputFormat,
} from "mediabunny";
import { provideCodecs } from "./convert.ts";

const RATE = 16_000;

/** A recording (WAV, 16 bit): silent in its first half, a tone in its second. */
export function recordingOf(seconds: number): Buffer {
  const frames = seconds * RATE;
  const file = Buffer.alloc(44 + frames * 2);
  file.write("RIFF", 0);
  file.writeUInt32LE(36 + frames * 2, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(frames * 2, 40);
  for (let index = Math.floor(frames / 2); index < frames; index++)
    file.writeInt16LE(Math.round(12_000 * Math.sin((index / RATE) * 2 * Math.PI * 440)), 44 + index * 2);
  return file;
}

/** The recording in another format. */
export async function encodedRecording(seconds: number, format: "mp3" | "m4a" | "webm"): Promise<Buffer> {
  provideCodecs();
  const [container, codec] = FORMATS[format];
  const input = new Input({ formats: [WAVE], source: new BufferSource(recordingOf(seconds)) });
  const output = new Output({ format: container(), target: new BufferTarget() });
  const audio = { codec, bitrate: 64_000, sampleRate: 48_000 };
  const conversion = await Conversion.init({ input, output, audio });
  await whileAlive(conversion.execute());
  return Buffer.from(output.target.buffer ?? new ArrayBuffer(0));
}

const FORMATS: Readonly<Record<"mp3" | "m4a" | "webm", readonly [() => OutputFormat, AudioCodec]>> = {
  mp3: [() => new Mp3OutputFormat(), "mp3"],
  m4a: [() => new Mp4OutputFormat(), "aac"],
  webm: [() => new WebMOutputFormat(), "opus"],
};

/** A video (MP4, H.264) of 2 s, red on the left and blue on the right, as a phone stores it: with a rotation. */
export async function videoOf(path: string, rotation: 0 | 90 = 0): Promise<void> {
  provideCodecs();
  const [width, height] = [640, 480];
  const output = new Output({ format: new Mp4OutputFormat(), target: new BufferTarget() });
  const source = new VideoSampleSource({ codec: "avc", bitrate: 500_000 });
  output.addVideoTrack(source, { frameRate: 10, rotation });
  await output.start();
  const pixels = new Uint8Array(width * height * 4);
  for (let index = 0; index < width * height; index++)
    pixels.set(index % width < width / 2 ? [255, 0, 0, 255] : [0, 0, 255, 255], index * 4);
  const place = { format: "RGBA", codedWidth: width, codedHeight: height, duration: 0.1 } as const;
  for (let frame = 0; frame < 20; frame++) {
    const sample = new VideoSample(pixels, { ...place, timestamp: frame / 10 });
    await whileAlive(source.add(sample));
    sample.close();
  }
  await whileAlive(output.finalize());
  await writeFile(path, Buffer.from(output.target.buffer ?? new ArrayBuffer(0)));
}

/** The codecs' own threads do not keep a process alive. */
async function whileAlive<T>(work: Promise<T>): Promise<T> {
  const alive = setInterval(() => undefined, 1_000);
  return work.finally(() => clearInterval(alive));
}
