/** Why nothing can be recorded. */
export type RecordingFault = "denied" | "framed" | "missing" | "busy" | "unavailable" | "empty";

/** Thrown by `startRecording` and `Recording.stop`. */
export class RecordingFailed extends Error {
  readonly fault: RecordingFault;

  constructor(fault: RecordingFault) {
    super(`Nothing can be recorded: ${fault}`);
    this.fault = fault;
  }
}

export interface Recording {
  /** The present loudness, 0 to 1. */
  level(): number;
  /** Seconds since it began. */
  seconds(): number;
  /** Ends it; resolves with the file. Throws `RecordingFailed` (`empty`). */
  stop(): Promise<File>;
  /** Ends it without a file. Idempotent. */
  discard(): void;
}

/** What browsers record, best first; the service converts all of them. */
const FORMATS = [
  ["audio/ogg;codecs=opus", "ogg"],
  ["audio/webm;codecs=opus", "webm"],
  ["audio/mp4", "m4a"],
] as const;
const BITS_PER_SECOND = 32_000;

/** Asks for the microphone and begins. Throws `RecordingFailed`. */
export async function startRecording(name: string): Promise<Recording> {
  const format = FORMATS.find(([type]) => globalThis.MediaRecorder?.isTypeSupported(type));
  if (format === undefined || navigator.mediaDevices === undefined) throw new RecordingFailed("unavailable");
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch((error: unknown) => {
    throw new RecordingFailed(faultOf(error));
  });
  const [type, ending] = format;
  const recorder = new MediaRecorder(stream, { mimeType: type, audioBitsPerSecond: BITS_PER_SECOND });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const meter = meterOf(stream);
  const began = performance.now();
  const end = (): void => {
    for (const track of stream.getTracks()) track.stop();
    meter.close();
  };
  // In parts, so that a long recording is not one block of memory at its end.
  recorder.start(1_000);
  return {
    level: meter.level,
    seconds: () => (performance.now() - began) / 1_000,
    async stop() {
      if (recorder.state !== "inactive")
        await new Promise((resolve) => {
          recorder.onstop = resolve;
          recorder.stop();
        });
      end();
      const file = new File(parts, `${name}.${ending}`, { type });
      if (file.size === 0) throw new RecordingFailed("empty");
      return file;
    },
    discard() {
      if (recorder.state !== "inactive") recorder.stop();
      end();
    },
  };
}

function faultOf(error: unknown): RecordingFault {
  switch (error instanceof DOMException ? error.name : "") {
    case "NotAllowedError":
    case "SecurityError":
      return isFrameClosed() ? "framed" : "denied";
    case "NotFoundError":
    case "OverconstrainedError":
      return "missing";
    case "NotReadableError":
    case "AbortError":
      return "busy";
    default:
      return "unavailable";
  }
}

/** Whether the page that embeds ours does not pass the permission on; browsers without this interface do not say. */
function isFrameClosed(): boolean {
  const { featurePolicy } = document as {
    readonly featurePolicy?: { allowsFeature(feature: string): boolean };
  };
  return featurePolicy?.allowsFeature("microphone") === false;
}

/** The loudness of a stream. Without it, a recording works as well. */
function meterOf(stream: MediaStream): { level(): number; close(): void } {
  try {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 512;
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Uint8Array(analyser.fftSize);
    return {
      level() {
        analyser.getByteTimeDomainData(samples);
        return samples.reduce((most, sample) => Math.max(most, Math.abs(sample - 128)), 0) / 128;
      },
      close: () => void context.close().catch(() => undefined),
    };
  } catch {
    return { level: () => 0, close: () => undefined };
  }
}
