import { useEffect, useRef, useState } from "preact/hooks";
import type { StoredFile } from "../model.ts";

interface StillProps {
  readonly file: StoredFile;
  readonly class: string;
  readonly onError: () => void;
}

/** The first frame of a picture that would move, for people who asked for less motion; the viewer shows it moving. */
export function Still({ file, class: look, onError }: StillProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 1, height: 1 });
  useEffect(() => {
    const picture = new Image();
    picture.src = file.url;
    let isThere = true;
    picture.decode().then(
      () => {
        if (!isThere) return;
        const scale = Math.min(1, MAX_SIDE / Math.max(picture.naturalWidth, picture.naturalHeight));
        setSize({
          width: Math.max(1, Math.round(picture.naturalWidth * scale)),
          height: Math.max(1, Math.round(picture.naturalHeight * scale)),
        });
        // A canvas is emptied when its size changes, with the next rendering.
        requestAnimationFrame(() => {
          const { current: on } = canvas;
          if (isThere && on !== null) on.getContext("2d")?.drawImage(picture, 0, 0, on.width, on.height);
        });
      },
      () => {
        if (isThere) onError();
      },
    );
    return () => {
      isThere = false;
    };
  }, [file.url]);
  return <canvas ref={canvas} {...size} class={look} />;
}

const MAX_SIDE = 600;
