/** A template's text with its variables `{{1}}`, `{{2}}` … filled in; variables without a value are kept. */
export function filled(text: string, values: readonly string[]): string {
  return text.replaceAll(
    /\{\{(\d+)\}\}/g,
    (variable, number: string) => values[Number(number) - 1] || variable,
  );
}
