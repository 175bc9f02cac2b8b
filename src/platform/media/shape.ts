/** A voice note in Ogg with Opus. */
export interface VoiceNote {
  /** Whole, at least 1. */
  readonly seconds: number;
  /** 64 peaks from 0 to 100, evenly spaced; the loudest is 100. */
  readonly waveform: Uint8Array;
}

export interface VideoPreview {
  /** As shown: pixels after rotation. */
  readonly width: number;
  readonly height: number;
  /** Whole, at least 1. */
  readonly seconds: number;
  /** JPEG, at most 320 pixels wide and high. */
  readonly thumbnail: Uint8Array;
}

/** Paths of files on disk. */
export type MediaJob =
  | { readonly kind: "voice"; readonly input: string; readonly output: string }
  | { readonly kind: "video"; readonly input: string };

export type MediaResult =
  /** `isConverted`: a new file was written to `output`; otherwise the input is a voice note already. */
  | { readonly kind: "voice"; readonly isConverted: boolean; readonly note: VoiceNote }
  | { readonly kind: "video"; readonly preview: VideoPreview }
  | { readonly kind: "failed"; readonly reason: string };
