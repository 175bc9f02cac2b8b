import { createRequire } from "node:module";
import {
  ALL_FORMATS,
  type AudioSample,
  AudioSampleSink,
  Conversion,
  FilePathSource,
  FilePathTarget,
  Input,
  type InputAudioTrack,
  OggInputFormat,
  OggOutputFormat,
  Output,
  type VideoSample,
  VideoSampleSink,
} from "mediabunny";
import sharp from "sharp";
import type { MediaJob, MediaResult, VideoPreview, VoiceNote } from "./shape.ts";
import { Loudness } from "./waveform.ts";

/** A longer recording stays what it is: an hour takes about 15 s of a processor. */
const MAX_VOICE_SECONDS = 3_600;
/** A voice note of WhatsApp's own apps has about this rate. */
const VOICE = { codec: "opus", numberOfChannels: 1, sampleRate: 48_000, bitrate: 32_000 } as const;
/** 8K. A larger picture would need more memory than the process may have. */
const MAX_PIXELS = 7_680 * 4_320;
const THUMBNAIL = { size: 320, quality: 60 };
/** The conversion of pixels is newer than the type. */
const AS_RGBA = { format: "RGBA" } as VideoFrameCopyToOptions;
/** The first picture of a video is often black. */
const THUMBNAIL_AT = 0.1;

/** The codecs' packages, of which npm installs the platform's. */
const CODECS = ["@napi-rs/webcodecs-linux-x64-gnu", "@napi-rs/webcodecs-linux-x64-musl"];
/** What mediabunny expects of a browser. */
const CLASSES = [
  "AudioData",
  "AudioDecoder",
  "AudioEncoder",
  "EncodedAudioChunk",
  "EncodedVideoChunk",
  "VideoColorSpace",
  "VideoDecoder",
  "VideoEncoder",
  "VideoFrame",
];

/** Makes a browser's classes for media global, implemented on FFmpeg's libraries. Throws if there are none here. */
export function provideCodecs(): void {
  const codecs = loadCodecs();
  for (const name of CLASSES) Object.assign(globalThis, { [name]: codecs[name] });
}

function loadCodecs(): Readonly<Record<string, unknown>> {
  const load = createRequire(import.meta.url);
  for (const name of CODECS) {
    try {
      return load(name);
    } catch {
      // Of another platform.
    }
  }
  throw new Error("There are no codecs for this platform");
}

/** Call `provideCodecs` before. Throws what the libraries throw. */
export async function convert(job: MediaJob): Promise<MediaResult> {
  return job.kind === "voice"
    ? toVoice(job.input, job.output)
    : { kind: "video", preview: await withInput(job.input, previewOf) };
}

async function toVoice(from: string, to: string): Promise<MediaResult> {
  const isReady = await withInput(from, async (input) => {
    const track = await audioOf(input);
    if ((await track.computeDuration()) > MAX_VOICE_SECONDS) throw new Error("The recording is too long");
    if ((await input.getFormat()) instanceof OggInputFormat && track.codec === "opus") return true;
    const output = new Output({ format: new OggOutputFormat(), target: new FilePathTarget(to) });
    const conversion = await Conversion.init({ input, output, audio: VOICE, video: { discard: true } });
    if (!conversion.isValid) throw new Error("There is no decoder for this recording");
    await conversion.execute();
    return false;
  });
  const note = await withInput(isReady ? from : to, noteOf);
  return { kind: "voice", isConverted: !isReady, note };
}

async function noteOf(input: Input): Promise<VoiceNote> {
  const track = await audioOf(input);
  const loudness = new Loudness();
  for await (const sample of new AudioSampleSink(track).samples()) {
    loudness.add(firstChannelOf(sample));
    sample.close();
  }
  return { seconds: wholeSeconds(await track.computeDuration()), waveform: loudness.waveform() };
}

function firstChannelOf(sample: AudioSample): Float32Array {
  const frames = new Float32Array(sample.numberOfFrames);
  sample.copyTo(frames, { planeIndex: 0, format: "f32-planar" });
  return frames;
}

async function previewOf(input: Input): Promise<VideoPreview> {
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error("There is no video in it");
  const { displayWidth: width, displayHeight: height } = track;
  if (width * height > MAX_PIXELS) throw new Error("The video is too large");
  const seconds = await track.computeDuration();
  const sample = await new VideoSampleSink(track).getSample(
    (await track.getFirstTimestamp()) + seconds * THUMBNAIL_AT,
  );
  if (sample === null) throw new Error("The video has no picture");
  try {
    return { width, height, seconds: wholeSeconds(seconds), thumbnail: await thumbnailOf(sample) };
  } finally {
    sample.close();
  }
}

async function thumbnailOf(sample: VideoSample): Promise<Uint8Array> {
  const pixels = new Uint8Array(sample.allocationSize(AS_RGBA));
  await sample.copyTo(pixels, AS_RGBA);
  const { codedWidth: width, codedHeight: height, rotation } = sample;
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .rotate(rotation)
    .resize({ width: THUMBNAIL.size, height: THUMBNAIL.size, fit: "inside", withoutEnlargement: true })
    .flatten()
    .jpeg({ quality: THUMBNAIL.quality })
    .toBuffer();
}

async function audioOf(input: Input): Promise<InputAudioTrack> {
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new Error("There is no sound in it");
  return track;
}

async function withInput<T>(path: string, work: (input: Input) => Promise<T>): Promise<T> {
  const input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  try {
    return await work(input);
  } finally {
    input.dispose();
  }
}

const wholeSeconds = (seconds: number): number => Math.max(1, Math.round(seconds));
