import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { duration } from "../format.ts";
import type { StoredFile } from "../model.ts";
import { bubbleWords, cardWords } from "../texts/texts.ts";

const SPEEDS = [1, 1.5, 2] as const;
const BARS = 40;

/** Audio or a voice note: play, waveform, position, speed. Until it is played, only its length is loaded. */
export function Audio({ file }: { readonly file: StoredFile }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(Number.NaN);
  const [speed, setSpeed] = useState<number>(1);
  const [peaks, setPeaks] = useState<readonly number[]>([]);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (audio.current !== null) audio.current.playbackRate = speed;
  }, [speed]);
  const toggle = () => {
    if (playing) return audio.current?.pause();
    if (peaks.length === 0)
      import("./peaks.ts")
        .then(({ readPeaks }) => readPeaks(file.url, BARS))
        // Without the connection the bars stay equal.
        .then(setPeaks, () => undefined);
    for (const other of document.querySelectorAll("audio")) if (other !== audio.current) other.pause();
    audio.current?.play().catch(() => setBroken(true));
  };
  const known = Number.isFinite(length) ? length : 0;
  const { play, pause, seek, speed: speedOf } = cardWords.value;
  if (isBroken) return <p class="text-dim">{bubbleWords.value.noFile}</p>;
  return (
    <span class="flex min-w-56 items-center gap-2.5">
      {/* biome-ignore lint/a11y/useMediaCaption: the messenger sends no captions */}
      <audio
        ref={audio}
        src={file.url}
        preload="metadata"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onDurationChange={(event) => setLength(event.currentTarget.duration)}
      />
      <button
        type="button"
        class="shaped grid h-10 w-10 shrink-0 place-items-center rounded-full bg-accent text-accent-ink"
        aria-label={playing ? pause : play(duration(known))}
        onClick={toggle}
      >
        <Icon name={playing ? "pause" : "play"} />
      </button>
      <span class="grid min-w-0 flex-1 gap-0.5">
        <span class="relative block h-7">
          <Wave peaks={peaks} share={known === 0 ? 0 : at / known} />
          <input
            type="range"
            class="absolute inset-0 h-full w-full cursor-pointer opacity-0 focus-visible:opacity-100"
            min={0}
            max={known || 1}
            step={0.1}
            value={at}
            aria-label={seek}
            aria-valuetext={`${duration(at)} / ${duration(known)}`}
            onInput={(event) => {
              if (audio.current !== null) audio.current.currentTime = Number(event.currentTarget.value);
            }}
          />
        </span>
        <span class="text-xs text-dim">{duration(at > 0 ? at : known)}</span>
      </span>
      <button
        type="button"
        class="min-h-10 min-w-10 rounded-md border border-edge px-1.5 text-xs"
        aria-label={speedOf(String(speed))}
        onClick={() => setSpeed(SPEEDS[(SPEEDS.indexOf(speed as 1) + 1) % SPEEDS.length] ?? 1)}
      >
        {speed}×
      </button>
    </span>
  );
}

/** The waveform, with the played part in the accent colour; a plain line until it is known. */
function Wave({ peaks, share }: { readonly peaks: readonly number[]; readonly share: number }) {
  const heights = peaks.length === 0 ? Array.from({ length: BARS }, () => 0.05) : peaks;
  return (
    <svg class="h-full w-full" viewBox={`0 0 ${BARS * 4} 28`} preserveAspectRatio="none" aria-hidden="true">
      {heights.map((height, index) => (
        <rect
          key={index}
          x={index * 4}
          y={14 - height * 13}
          width="2.4"
          height={Math.max(1.5, height * 26)}
          rx="1"
          class={index / BARS < share ? "fill-accent-text" : "fill-edge"}
        />
      ))}
    </svg>
  );
}
