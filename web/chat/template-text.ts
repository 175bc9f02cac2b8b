/** A template's text with its variables `{{1}}`, `{{2}}` … filled in; what has no value yet stays as it is. */
export function filled(text: string, values: readonly string[]): string {
  return text.replaceAll(
    /\{\{(\d+)\}\}/g,
    (variable, number: string) => values[Number(number) - 1] || variable,
  );
}
