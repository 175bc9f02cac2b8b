import { signal } from "@preact/signals";

/** The chat in whose conversation the employee searches. */
export const finding = signal<string | null>(null);
