import type { Readable } from "node:stream";
import type { VideoPreview, VoiceNote } from "../../platform/media/shape.ts";
import type { MediaKind } from "./definition.ts";

/**
 * A file to send. The guard has accepted its link, and its size and hash were checked if the client stated them.
 * `open` streams it from disk, any number of times, with its exact size in bytes.
 */
export interface OutboundFile {
  readonly url: string;
  /** The link is on the public internet, so the messenger can download it. */
  readonly urlIsPublic: boolean;
  /**
   * The content type reported by the link's server, without parameters; messengers that download the file rely on it.
   */
  readonly urlMimeType: string;
  readonly name: string;
  readonly mimeType: string;
  readonly kind: MediaKind;
  readonly size: number;
  /** Of an `audio/ogg` file, if the capability `voiceNotes` is `described` and the file could be read. */
  readonly voiceNote?: VoiceNote;
  /** Of a video, if there is the capability `videoPreviews` and the file could be read. */
  readonly videoPreview?: VideoPreview;
  open(): Readable;
  /**
   * Stores a copy and returns its address under the service's public one, for messengers that fetch files and cannot
   * reach `url`. Absent in workers.
   */
  offer?(): Promise<string>;
}
