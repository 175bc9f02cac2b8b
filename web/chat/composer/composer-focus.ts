/** The composer's text field; set by the composer. */
export const composerField = { current: null as HTMLTextAreaElement | null };

export function focusComposer(): void {
  composerField.current?.focus();
}
