import { signal } from "@preact/signals";

/** The chat in which an internal note is written instead of a message. */
export const notingIn = signal<string | null>(null);
