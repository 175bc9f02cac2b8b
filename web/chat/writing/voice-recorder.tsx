import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { keepRecording } from "../composer/chosen-files.ts";
import { duration } from "../format.ts";
import type { Abilities } from "../model.ts";
import { writingWords } from "../texts/texts.ts";
import { type Recording, RecordingFailed, type RecordingFault, startRecording } from "./recording.ts";
import { toWav } from "./wav.ts";

/** A longer one ends by itself. */
const MAX_SECONDS = 600;
const LOOK_MS = 100;

type State =
  | { readonly kind: "asking" }
  | { readonly kind: "recording"; readonly recording: Recording }
  | { readonly kind: "ready"; readonly file: File; readonly seconds: number }
  | { readonly kind: "failed"; readonly fault: RecordingFault };

interface VoiceRecorderProps {
  readonly place: string;
  readonly form: NonNullable<Abilities["recordings"]>;
  readonly onSend: (file: File) => void;
  /** It was sent or discarded, or nothing can be recorded. */
  readonly onClose: () => void;
}

/**
 * In place of the field: asks for the microphone, records, plays what was recorded, and sends or discards it. If the
 * employee goes to another chat meanwhile, what was recorded is kept among the files of this one.
 */
export function VoiceRecorder({ place, form, onSend, onClose }: VoiceRecorderProps) {
  const [state, setState] = useState<State>({ kind: "asking" });
  const now = useRef(state);
  now.current = state;
  const isClosed = useRef(false);
  const words = writingWords.value;
  const fail = (error: unknown) =>
    setState({ kind: "failed", fault: error instanceof RecordingFailed ? error.fault : "unavailable" });
  useEffect(() => {
    startRecording(words.voiceFile).then(
      (recording) => (isClosed.current ? recording.discard() : setState({ kind: "recording", recording })),
      (error) => !isClosed.current && fail(error),
    );
    return () => {
      const left = isClosed.current ? null : now.current;
      isClosed.current = true;
      if (left?.kind === "ready") keepRecording(place, left.file);
      if (left?.kind === "recording")
        left.recording
          .stop()
          .then((file) => finished(file, form))
          .then(
            (file) => keepRecording(place, file),
            () => undefined,
          );
    };
  }, []);
  const close = () => {
    isClosed.current = true;
    if (state.kind === "recording") state.recording.discard();
    onClose();
  };
  const stop = async () => {
    if (state.kind !== "recording") return;
    const seconds = state.recording.seconds();
    try {
      const file = await finished(await state.recording.stop(), form);
      if (!isClosed.current) setState({ kind: "ready", file, seconds });
    } catch (error) {
      fail(error);
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is a shortcut of the button that discards
    <div
      class="flex items-center gap-1 rounded-lg border border-edge p-1"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        type="button"
        class="grid h-10 w-10 shrink-0 place-items-center rounded-md text-dim hover:text-ink"
        aria-label={state.kind === "failed" ? words.close : words.discardVoice}
        title={state.kind === "failed" ? words.close : words.discardVoice}
        onClick={close}
      >
        <Icon name={state.kind === "failed" ? "close" : "trash"} />
      </button>
      {state.kind === "asking" && (
        <p role="status" class="min-w-0 flex-1 text-sm text-dim">
          {words.askingMicrophone}
        </p>
      )}
      {state.kind === "failed" && (
        <p role="alert" class="min-w-0 flex-1 text-sm font-semibold text-bad">
          {words[state.fault]}
        </p>
      )}
      {state.kind === "recording" && <Running recording={state.recording} onStop={() => void stop()} />}
      {state.kind === "ready" && (
        <Ready
          file={state.file}
          seconds={state.seconds}
          onSend={() => {
            isClosed.current = true;
            onSend(state.file);
            onClose();
          }}
        />
      )}
    </div>
  );
}

/** The service makes voice notes of what browsers record; messengers without them get a file that they play. */
async function finished(file: File, form: VoiceRecorderProps["form"]): Promise<File> {
  return form === "voice_notes" ? file : toWav(file);
}

/** A border keeps its shape where the system chooses the colours; a background does not. */
const FILLED = "block border-t-4 border-accent-text";

/** The time and the loudness, several times a second. */
function Running({ recording, onStop }: { readonly recording: Recording; readonly onStop: () => void }) {
  const [look, setLook] = useState({ seconds: 0, level: 0 });
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), []);
  useEffect(() => {
    const timer = setInterval(() => {
      const seconds = recording.seconds();
      setLook({ seconds, level: recording.level() });
      if (seconds >= MAX_SECONDS) onStop();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const words = writingWords.value;
  return (
    <>
      <span class="shrink-0 text-bad" aria-hidden="true">
        ●
      </span>
      <span role="timer" aria-label={words.recording} class="shrink-0 text-sm">
        {duration(look.seconds)}
      </span>
      <span class="relative block h-1 min-w-0 flex-1 overflow-hidden rounded-full bg-line" aria-hidden="true">
        <span class={FILLED} style={{ width: `${Math.round(look.level * 100)}%` }} />
      </span>
      <button
        ref={button}
        type="button"
        class="shaped h-10 min-w-10 shrink-0 rounded-md bg-accent px-3.5 font-semibold text-accent-ink"
        onClick={onStop}
      >
        {words.stopVoice}
      </button>
    </>
  );
}

interface ReadyProps {
  readonly file: File;
  readonly seconds: number;
  readonly onSend: () => void;
}

function Ready({ file, seconds, onSend }: ReadyProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const send = useRef<HTMLButtonElement>(null);
  const [url, setUrl] = useState("");
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  useLayoutEffect(() => send.current?.focus(), []);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  const words = writingWords.value;
  const toggle = () => {
    if (isPlaying) audio.current?.pause();
    else audio.current?.play().catch(() => setPlaying(false));
  };
  return (
    <>
      <button
        type="button"
        class="grid h-10 w-10 shrink-0 place-items-center rounded-md"
        aria-label={isPlaying ? words.pauseVoice : words.playVoice}
        onClick={toggle}
      >
        <Icon name={isPlaying ? "pause" : "play"} />
      </button>
      {/* biome-ignore lint/a11y/useMediaCaption: the employee's own words */}
      <audio
        ref={audio}
        src={url}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onEnded={() => setAt(0)}
      />
      <span class="shrink-0 text-sm">{`${duration(Math.min(at, seconds))} / ${duration(seconds)}`}</span>
      <span class="relative block h-1 min-w-0 flex-1 overflow-hidden rounded-full bg-line" aria-hidden="true">
        <span class={FILLED} style={{ width: `${Math.min(100, Math.round((at / seconds) * 100))}%` }} />
      </span>
      <button
        ref={send}
        type="button"
        class="shaped h-10 min-w-10 shrink-0 rounded-md bg-accent px-3.5 font-semibold text-accent-ink"
        onClick={onSend}
      >
        {words.sendVoice}
      </button>
    </>
  );
}
