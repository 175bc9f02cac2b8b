import lottie from "lottie-web/build/player/lottie_light_canvas.js";
import type { Animation } from "./animation.ts";

export interface Player {
  /** Plays in a loop until the returned function is called. `onTooSlow`: it has stopped by itself. */
  play(onTooSlow: () => void): () => void;
  close(): void;
}

/** A frame that takes longer holds up what the employee types. */
const SLOW_MS = 50;
/** Slow frames in a row, so that a page that is busy for a moment stops nothing. */
const MAX_SLOW = 5;
const MAX_RATE = 60;

/**
 * Draws an animation on a canvas: until it plays the middle frame, because the first is often empty. The light player has
 * no expressions, and so no evaluation of texts as code, which the page's policy forbids.
 */
export async function startPlayer(context: CanvasRenderingContext2D, animation: Animation): Promise<Player> {
  const item = lottie.loadAnimation<"canvas">({
    // Without it, the size of the canvas itself counts.
    container: undefined as unknown as Element,
    renderer: "canvas",
    loop: false,
    autoplay: false,
    animationData: animation,
    rendererSettings: { context, clearCanvas: true },
  });
  const { ip, op, fr } = animation;
  await new Promise<void>((resolve) => {
    if (item.isLoaded) resolve();
    else item.addEventListener("DOMLoaded", () => resolve());
  });
  const draw = (frame: number) => item.goToAndStop(frame, true);
  draw((op - ip) / 2);
  return {
    play(onTooSlow) {
      const [began, rate] = [performance.now(), Math.min(fr, MAX_RATE)];
      let [request, shown, slow] = [0, -1, 0];
      const next = (now: number) => {
        request = requestAnimationFrame(next);
        const count = Math.floor(((now - began) / 1_000) * rate);
        if (count === shown) return;
        shown = count;
        const before = performance.now();
        draw(((count / rate) * fr) % (op - ip));
        slow = performance.now() - before > SLOW_MS ? slow + 1 : 0;
        if (slow < MAX_SLOW) return;
        cancelAnimationFrame(request);
        onTooSlow();
      };
      request = requestAnimationFrame(next);
      return () => cancelAnimationFrame(request);
    },
    close: () => item.destroy(),
  };
}
