export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value; an empty value counts as unset. */
export function given(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}
