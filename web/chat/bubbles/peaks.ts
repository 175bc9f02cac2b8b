/** Larger files are played without a waveform: decoding them would take too much memory. */
const MAX_BYTES = 4_000_000;

/** Loudness of `count` equal parts of a sound file, 0 to 1; empty if the browser cannot decode it. */
export async function readPeaks(url: string, count: number): Promise<readonly number[]> {
  try {
    const bytes = await (await fetch(url, { credentials: "omit" })).arrayBuffer();
    if (bytes.byteLength > MAX_BYTES) return [];
    const sound = await new OfflineAudioContext(1, 1, 22_050).decodeAudioData(bytes);
    return peaksOf(sound.getChannelData(0), count);
  } catch {
    return [];
  }
}

/** The peak of each part, relative to the highest. */
export function peaksOf(samples: Float32Array, count: number): readonly number[] {
  const part = Math.max(1, Math.floor(samples.length / count));
  const peaks = Array.from({ length: count }, (_, index) => {
    let peak = 0;
    for (let at = index * part; at < Math.min(samples.length, (index + 1) * part); at++)
      peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    return peak;
  });
  const loudest = Math.max(...peaks, 0.001);
  return peaks.map((peak) => peak / loudest);
}
