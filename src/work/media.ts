import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { OutboundFile } from "../core/transport/connector.ts";
import type { Capabilities } from "../core/transport/definition.ts";
import type { MediaProcesses } from "../platform/media/media-processes.ts";
import type { MediaJob, MediaResult } from "../platform/media/shape.ts";
import type { PreparedFile } from "./attachments.ts";

const VOICE_TYPE = "audio/ogg";
/** What browsers and recorders produce; messengers do not play these formats as they are. */
const RECORDINGS: ReadonlySet<string> = new Set([
  "audio/webm",
  "audio/wav",
  "audio/x-wav",
  "audio/wave",
  "audio/vnd.wave",
  "audio/flac",
  "audio/x-flac",
]);
const VIDEOS: ReadonlySet<string> = new Set(["video/mp4", "video/3gpp"]);

export interface MediaOptions {
  readonly accountId: number;
  readonly processes: MediaProcesses;
  readonly directory: string;
  readonly signal: AbortSignal;
  /** The client asks for a voice note, whatever the format. */
  readonly asVoice: boolean;
  /** Stores a copy under a public address, which it returns. */
  offer(file: OutboundFile): Promise<string>;
  /** Why a file is sent as it is. */
  onFailure(reason: string): void;
}

/**
 * Turns a recording into a voice note and describes a video, as far as the messenger needs it. A file that cannot be
 * converted is sent as it is. Never rejects.
 */
export async function prepareMedia(
  prepared: PreparedFile,
  capabilities: Capabilities,
  options: MediaOptions,
): Promise<PreparedFile> {
  const kind = jobFor(prepared.file, capabilities, options.asVoice);
  if (kind === null) return prepared;
  const { accountId, processes, directory, signal } = options;
  const [copy, output] = [pathIn(directory), pathIn(directory)];
  try {
    const input = prepared.path ?? (await copyTo(copy, prepared.file, options));
    const job: MediaJob = kind === "voice" ? { kind, input, output } : { kind, input };
    return await withResult(prepared, await processes.run(accountId, job, signal), { output, options });
  } catch (error) {
    options.onFailure(String(error));
    return prepared;
  } finally {
    await rm(copy, { force: true }).catch(() => undefined);
  }
}

/** Of a file in the store, which need not be on this disk. Returns the path. */
async function copyTo(
  path: string,
  file: OutboundFile,
  { directory, signal }: Pick<MediaOptions, "directory" | "signal">,
): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await pipeline(file.open(), createWriteStream(path, { mode: 0o600 }), { signal });
  return path;
}

async function withResult(
  prepared: PreparedFile,
  result: MediaResult,
  { output, options }: { readonly output: string; readonly options: MediaOptions },
): Promise<PreparedFile> {
  const { file } = prepared;
  if (result.kind === "video") return { ...prepared, file: { ...file, videoPreview: result.preview } };
  if (result.kind === "voice" && !result.isConverted)
    return { ...prepared, file: { ...file, mimeType: VOICE_TYPE, voiceNote: result.note } };
  const discard = async (): Promise<void> => {
    await rm(output, { force: true }).catch(() => undefined);
    await prepared.discard();
  };
  if (result.kind === "failed") {
    await rm(output, { force: true });
    options.onFailure(result.reason);
    return prepared;
  }
  const converted: OutboundFile = {
    ...file,
    // The address leads to the recording, not to the voice note.
    urlIsPublic: false,
    urlMimeType: VOICE_TYPE,
    name: `${file.name.replace(/\.[^.]+$/, "")}.ogg`,
    mimeType: VOICE_TYPE,
    kind: "audio",
    size: (await stat(output)).size,
    open: () => createReadStream(output),
    voiceNote: result.note,
  };
  return { file: { ...converted, offer: () => options.offer(converted) }, discard };
}

/** What the messenger needs of this file; null: nothing. */
function jobFor(file: OutboundFile, capabilities: Capabilities, asVoice: boolean): MediaJob["kind"] | null {
  const { voiceNotes, videoPreviews } = capabilities;
  const type = essence(file.mimeType);
  if (videoPreviews === true && VIDEOS.has(type)) return "video";
  if (voiceNotes === undefined || file.kind !== "audio") return null;
  if (type === VOICE_TYPE) return voiceNotes === "described" ? "voice" : null;
  return asVoice || RECORDINGS.has(type) ? "voice" : null;
}

function pathIn(directory: string): string {
  return join(directory, `${randomUUID()}.media`);
}

function essence(mimeType: string): string {
  return mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
}
