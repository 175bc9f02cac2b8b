import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../kit/icon.tsx";
import { Document } from "../bubbles/media.tsx";
import { duration } from "../format.ts";
import type { StoredFile } from "../model.ts";
import { bubbleWords, cardWords } from "../texts/texts.ts";
import type { Animation } from "./animation.ts";
import type { Player } from "./player.ts";

/** Pixels of the page; a screen with more pixels is drawn twice as fine at most. */
const SIDE = 160;

interface Loaded {
  readonly animation: Animation;
  readonly player: Player;
}

/**
 * An animated sticker of Telegram (`.tgs`). It is loaded, with its player, when it is in view, and plays only there;
 * pressing it stops and starts it. Under reduced motion it stands still until it is pressed. A file that the page does
 * not play is shown as any other.
 */
export function Sticker({ file }: { readonly file: StoredFile }) {
  const box = useRef<HTMLButtonElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isInView, setInView] = useState(false);
  const [isWanted, setWanted] = useState(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new IntersectionObserver(([entry]) => setInView(entry?.isIntersecting === true));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isInView || loaded !== null || isRefused) return;
    const asking = new AbortController();
    load(file.url, asking.signal).then(
      async ({ animation, start }) => {
        const context = canvas.current?.getContext("2d");
        if (context == null || asking.signal.aborted) return;
        const player = await start(context, animation);
        if (asking.signal.aborted) player.close();
        else setLoaded({ animation, player });
      },
      () => {
        if (!asking.signal.aborted) setRefused(true);
      },
    );
    return () => asking.abort();
  }, [isInView, file.url]);
  useEffect(() => () => loaded?.player.close(), [loaded]);
  useEffect(() => {
    if (!isInView || !isWanted || loaded === null) return;
    return loaded.player.play(() => setWanted(false));
  }, [isInView, isWanted, loaded]);
  if (isRefused) return <Document file={file} />;
  const { sticker } = bubbleWords.value;
  const { play, pause } = cardWords.value;
  const seconds = loaded === null ? 0 : (loaded.animation.op - loaded.animation.ip) / loaded.animation.fr;
  const pixels = SIDE * Math.min(2, Math.ceil(devicePixelRatio));
  return (
    <button
      ref={box}
      type="button"
      class="relative block h-40 w-40 rounded-md"
      aria-label={`${sticker}: ${isWanted ? pause : play(duration(seconds))}`}
      aria-busy={loaded === null}
      onClick={() => setWanted(!isWanted)}
    >
      <canvas ref={canvas} width={pixels} height={pixels} class="h-40 w-40" />
      {!isWanted && loaded !== null && (
        <span class="absolute right-1 bottom-1 grid h-9 w-9 place-items-center rounded-full border border-edge bg-bg">
          <Icon name="play" size={12} />
        </span>
      )}
    </button>
  );
}

/** Throws if the file is no sticker that the page plays, or cannot be loaded. */
async function load(url: string, signal: AbortSignal) {
  const { MAX_FILE_BYTES, readAnimation } = await import("./animation.ts");
  const response = await fetch(url, { signal, credentials: "omit" });
  if (!response.ok || Number(response.headers.get("content-length")) > MAX_FILE_BYTES)
    throw new Error("It is no sticker");
  const animation = await readAnimation(await response.blob());
  if (animation === null) throw new Error("It is no sticker");
  const { startPlayer } = await import("./player.ts");
  return { animation, start: startPlayer };
}
