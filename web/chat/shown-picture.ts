import { signal } from "@preact/signals";

/** The message whose picture the viewer shows. */
export const shownPicture = signal<string | null>(null);

/** Shows the picture of a message over everything; the others of the thread follow by arrows. */
export function openViewer(messageId: string): void {
  shownPicture.value = messageId;
}
