/** The fields of our objects as the admin API spells them: `errorsAs200` is `errors_as_200` there. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]|(?<!\d)\d/g, (start) => `_${start.toLowerCase()}`);
}

export function withSnakeCase(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}
