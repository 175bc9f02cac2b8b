import { signal } from "@preact/signals";

/** Narrow windows show one part of the page at a time. */
export const view = signal<"people" | "phone" | "wire">("phone");
