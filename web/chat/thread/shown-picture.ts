import { signal } from "@preact/signals";

/** The message whose picture is in the viewer. */
export const shownPicture = signal<string | null>(null);

/** Opens the picture of a message in the viewer; arrow keys show the others of the thread. */
export function openViewer(messageId: string): void {
  shownPicture.value = messageId;
}
