/** Enough for speech; two bytes a sample make 32 KB a second. */
const RATE = 16_000;
const HEAD = 44;

/** A recording as a WAV file (PCM, 16 bits, one channel), which every messenger with audio files takes. */
export async function toWav(recording: File): Promise<File> {
  // Decoding also converts to the rate of its context.
  const context = new OfflineAudioContext(1, 1, RATE);
  const sound = await context.decodeAudioData(await recording.arrayBuffer());
  const channels = Array.from({ length: sound.numberOfChannels }, (_, index) => sound.getChannelData(index));
  const name = recording.name.replace(/\.\w+$/, ".wav");
  return new File([wavOf(channels, RATE)], name, { type: "audio/wav" });
}

/** `channels`: samples from -1 to 1 of the same length, which become one channel. Pure. */
export function wavOf(channels: readonly Float32Array[], rate: number): ArrayBuffer {
  const length = channels[0]?.length ?? 0;
  const file = new DataView(new ArrayBuffer(HEAD + length * 2));
  const write = (at: number, text: string) => {
    for (let index = 0; index < text.length; index++) file.setUint8(at + index, text.charCodeAt(index));
  };
  write(0, "RIFF");
  file.setUint32(4, HEAD - 8 + length * 2, true);
  write(8, "WAVEfmt ");
  file.setUint32(16, 16, true);
  file.setUint16(20, 1, true);
  file.setUint16(22, 1, true);
  file.setUint32(24, rate, true);
  file.setUint32(28, rate * 2, true);
  file.setUint16(32, 2, true);
  file.setUint16(34, 16, true);
  write(36, "data");
  file.setUint32(40, length * 2, true);
  for (let at = 0; at < length; at++) {
    const sum = channels.reduce((total, samples) => total + (samples[at] ?? 0), 0);
    const level = Math.max(-1, Math.min(1, sum / channels.length));
    file.setInt16(HEAD + at * 2, Math.round(level * (level < 0 ? 0x8000 : 0x7fff)), true);
  }
  return file.buffer;
}
