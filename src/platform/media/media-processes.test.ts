import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MediaProcesses } from "./media-processes.ts";
import type { MediaResult } from "./shape.ts";
import { encodedRecording, recordingOf, videoOf } from "./test-kit.ts";

const NEVER = new AbortController().signal;
/** The machine may be busy with other tests. */
const processes = new MediaProcesses({ timeoutMs: 170_000 });
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "media-"));
});
afterAll(() => rm(directory, { recursive: true }));

async function voiceOf(name: string, bytes: Uint8Array): Promise<{ result: MediaResult; output: string }> {
  const [input, output] = [join(directory, name), join(directory, `${name}.ogg`)];
  await writeFile(input, bytes);
  return { result: await processes.run(1, { kind: "voice", input, output }, NEVER), output };
}

/** The position of the last page, in samples at 48 kHz (RFC 7845, section 4). */
function secondsOf(ogg: Buffer): number {
  const last = ogg.lastIndexOf("OggS");
  return Number(ogg.readBigInt64LE(last + 6)) / 48_000;
}

describe("a recording becomes a voice note", { timeout: 360_000 }, () => {
  test.each(["wav", "mp3", "m4a", "webm"] as const)("from %s", async (format) => {
    const bytes = format === "wav" ? recordingOf(4) : await encodedRecording(4, format);
    const { result, output } = await voiceOf(`recording.${format}`, bytes);
    expect(result).toMatchObject({ kind: "voice", isConverted: true, note: { seconds: 4 } });
    const ogg = await readFile(output);
    expect(ogg.subarray(0, 4).toString()).toBe("OggS");
    expect(ogg.includes("OpusHead")).toBe(true);
    // One channel (RFC 7845, section 5.1).
    expect(ogg[ogg.indexOf("OpusHead") + 9]).toBe(1);
    expect(secondsOf(ogg)).toBeGreaterThan(3.9);
    expect(secondsOf(ogg)).toBeLessThan(4.2);
    const { waveform } = (result as Extract<MediaResult, { kind: "voice" }>).note;
    expect(waveform).toHaveLength(64);
    expect(Math.max(...waveform.slice(0, 28))).toBeLessThan(10);
    expect(Math.min(...waveform.slice(36, 60))).toBeGreaterThan(60);
  });

  test("that is one already is only described", async () => {
    const { output } = await voiceOf("first.wav", recordingOf(2));
    const { result } = await voiceOf("second.ogg", await readFile(output));
    expect(result).toMatchObject({ kind: "voice", isConverted: false, note: { seconds: 2 } });
  });
});

describe("a video gets a preview", { timeout: 180_000 }, () => {
  test.each<[0 | 90, object, [number, number], [number, number]]>([
    [0, { width: 640, height: 480 }, [10, 120], [310, 120]],
    // Turned clockwise, the left is above.
    [90, { width: 480, height: 640 }, [120, 10], [120, 310]],
  ])("rotated by %i degrees", async (rotation, size, red, blue) => {
    const input = join(directory, `video-${rotation}.mp4`);
    await videoOf(input, rotation);
    const result = await processes.run(1, { kind: "video", input }, NEVER);
    expect(result).toMatchObject({ kind: "video", preview: { ...size, seconds: 2 } });
    const { thumbnail } = (result as Extract<MediaResult, { kind: "video" }>).preview;
    const picture = sharp(thumbnail);
    const { format, width = 0, height = 0 } = await picture.metadata();
    expect({ format, longest: Math.max(width, height) }).toEqual({ format: "jpeg", longest: 320 });
    const { data } = await picture.raw().toBuffer({ resolveWithObject: true });
    const at = ([x, y]: [number, number]): number[] => [
      ...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
    ];
    expect(at(red)[0]).toBeGreaterThan(200);
    expect(at(red)[2]).toBeLessThan(60);
    expect(at(blue)[2]).toBeGreaterThan(200);
    expect(at(blue)[0]).toBeLessThan(60);
  });
});

test("a job does not go before chats, and does not starve beside them", async () => {
  const program = join(directory, "priority.mjs");
  const said =
    "process.once('message', () => process.send({ kind: 'failed', reason: String(getPriority()) }));";
  await writeFile(program, `import { getPriority } from "node:os"; ${said}`);
  const asked = new MediaProcesses({ program: new URL(`file://${program}`) });
  const own = getPriority();
  expect(await asked.run(1, { kind: "video", input: program }, NEVER)).toEqual({
    kind: "failed",
    reason: String(Math.max(own, constants.priority.PRIORITY_BELOW_NORMAL)),
  });
});

describe("a failure names its reason", { timeout: 180_000 }, () => {
  test("of what is no recording", async () => {
    const { result } = await voiceOf("text.ogg", Buffer.from("hello"));
    expect(result).toEqual({ kind: "failed", reason: expect.stringMatching(/./) });
  });

  test("of a video without sound, as a voice note", async () => {
    const input = join(directory, "mute.mp4");
    await videoOf(input);
    const job = { kind: "voice", input, output: join(directory, "mute.ogg") } as const;
    expect(await processes.run(1, job, NEVER)).toEqual({ kind: "failed", reason: "There is no sound in it" });
  });

  test("of a process that dies", async () => {
    const crashing = new URL("data:,");
    const program = join(directory, "crash.mjs");
    await writeFile(program, "process.once('message', () => process.kill(process.pid, 'SIGSEGV'));");
    crashing.href = `file://${program}`;
    const result = await new MediaProcesses({ program: crashing }).run(
      1,
      { kind: "video", input: program },
      NEVER,
    );
    expect(result).toEqual({ kind: "failed", reason: "The process ended with SIGSEGV" });
  });

  test("of a process that takes too long, and of a job that nobody needs", async () => {
    const program = join(directory, "hang.mjs");
    await writeFile(program, "process.once('message', () => setInterval(() => undefined, 1000));");
    const hanging = new MediaProcesses({ program: new URL(`file://${program}`), timeoutMs: 200 });
    const job = { kind: "video", input: program } as const;
    const aborted = AbortSignal.abort();
    const [long, unneeded] = await Promise.all([hanging.run(1, job, NEVER), hanging.run(1, job, aborted)]);
    expect(long).toEqual({ kind: "failed", reason: "It takes too long" });
    expect(unneeded).toEqual({ kind: "failed", reason: "It is no longer needed" });
  });
});
