const PEAKS = 64;
const LOUDEST = 100;

/**
 * Collects the loudness of a recording of unknown length in bounded memory: whenever all places are used, two
 * neighbours become one.
 */
export class Loudness {
  readonly #sums: number[] = [];
  readonly #places: number;
  #framesPerPlace: number;
  #sum = 0;
  #frames = 0;

  /** `places` is even, at least 64. */
  constructor(places = 4_096, framesPerPlace = 256) {
    this.#places = places;
    this.#framesPerPlace = framesPerPlace;
  }

  add(frames: Float32Array): void {
    for (const frame of frames) {
      this.#sum += Math.abs(frame);
      if (++this.#frames === this.#framesPerPlace) this.#close();
    }
  }

  /** 64 peaks from 0 to 100. Silence is all 0. */
  waveform(): Uint8Array {
    const means = this.#sums.length === 0 ? [this.#sum / Math.max(1, this.#frames)] : this.#sums;
    const peaks = Array.from({ length: PEAKS }, (_, index) => {
      const from = Math.floor((index * means.length) / PEAKS);
      const to = Math.max(from + 1, Math.floor(((index + 1) * means.length) / PEAKS));
      const part = means.slice(from, to);
      return part.reduce((sum, mean) => sum + mean, 0) / part.length;
    });
    const most = Math.max(...peaks);
    return Uint8Array.from(peaks, (peak) => (most > 0 ? Math.round((peak / most) * LOUDEST) : 0));
  }

  #close(): void {
    this.#sums.push(this.#sum / this.#frames);
    this.#sum = 0;
    this.#frames = 0;
    if (this.#sums.length < this.#places) return;
    const halves = this.#sums.splice(0);
    for (let index = 0; index < halves.length; index += 2)
      this.#sums.push(((halves[index] ?? 0) + (halves[index + 1] ?? 0)) / 2);
    this.#framesPerPlace *= 2;
  }
}
