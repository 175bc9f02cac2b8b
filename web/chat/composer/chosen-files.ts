import { signal } from "@preact/signals";

/** Files chosen for an unsent message, by place. */
const trays = signal<ReadonlyMap<string, readonly File[]>>(new Map());
export function trayOf(place: string): readonly File[] {
  return trays.value.get(place) ?? [];
}

export function setTray(place: string, files: readonly File[]): void {
  trays.value = new Map(trays.value).set(place, files);
}

/** Adds the files chosen in one place to those of another, all of them: they were accepted when they were chosen. */
export function moveTray(from: string, to: string): void {
  const files = [...trayOf(to), ...trayOf(from)];
  setTray(from, []);
  setTray(to, files);
}

/** Recordings of the page, which are sent as voice notes. */
const recordings = new WeakSet<File>();

export function isRecording(file: File): boolean {
  return recordings.has(file);
}

export function markRecording(file: File): File {
  recordings.add(file);
  return file;
}

/** Adds a recording that was neither sent nor discarded to the files of its place. */
export function keepRecording(place: string, file: File): void {
  setTray(place, [...trayOf(place), markRecording(file)]);
}
