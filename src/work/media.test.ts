import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { Capabilities } from "../core/transport/definition.ts";
import { MediaProcesses } from "../platform/media/media-processes.ts";
import { recordingOf } from "../platform/media/test-kit.ts";
import type { PreparedFile } from "./attachments.ts";
import { prepareMedia } from "./media.ts";

test("a recording in the store is converted, and nothing is left on disk", { timeout: 180_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), "media-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const bytes = recordingOf(1);
  const about = { url: "https://files.example/a.wav", urlIsPublic: true, urlMimeType: "audio/wav" };
  const stored: PreparedFile = {
    file: {
      ...about,
      name: "a.wav",
      mimeType: "audio/wav",
      kind: "audio",
      size: bytes.length,
      open: () => Readable.from([bytes]),
    },
    discard: async () => undefined,
  };
  const faults: string[] = [];
  const prepared = await prepareMedia(stored, { voiceNotes: "plain" } as Capabilities, {
    accountId: 1,
    processes: new MediaProcesses({ timeoutMs: 170_000 }),
    directory,
    signal: new AbortController().signal,
    asVoice: false,
    offer: async () => "",
    onFailure: (reason) => void faults.push(reason),
  });
  expect(faults).toEqual([]);
  expect(prepared.file).toMatchObject({ name: "a.ogg", mimeType: "audio/ogg", urlIsPublic: false });
  expect((await buffer(prepared.file.open())).subarray(0, 4).toString()).toBe("OggS");
  await prepared.discard();
  expect(await readdir(directory)).toEqual([]);
});
