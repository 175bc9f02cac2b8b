/** A field name in the admin API's spelling: `errorsAs200` becomes `errors_as_200`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]|(?<!\d)\d/g, (start) => `_${start.toLowerCase()}`);
}

export function withSnakeCase(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}
