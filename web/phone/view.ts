import { signal } from "@preact/signals";

type Part = "people" | "phone" | "wire";

/** Narrow windows show one part of the page at a time. */
export const view = signal<Part>("phone");
/** Wider ones show the phone, and this part beside it. */
export const besidePhone = signal<Exclude<Part, "phone">>("people");

export function show(part: Part): void {
  view.value = part;
  if (part !== "phone") besidePhone.value = part;
}
