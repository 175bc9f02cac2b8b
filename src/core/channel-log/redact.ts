import type { RegisteredTransport } from "../transport/registry.ts";

const MASK = "***";

/**
 * Masks every sensitive credential of a channel, and every sensitive setting of its transport, anywhere in a text:
 * addresses, error messages, log lines.
 */
export function redactor(
  { definition, settings }: Pick<RegisteredTransport, "definition" | "settings">,
  credentials: Readonly<Record<string, unknown>>,
): (text: string) => string {
  const given = definition.credentials.properties;
  const ofChannel = Object.entries({ ...given, ...definition.storedCredentials?.properties })
    .filter(([, schema]) => "sensitive" in schema && schema.sensitive === true)
    .map(([name]) => credentials[name]);
  const ofInstallation = Object.entries(definition.settings)
    .filter(([, { sensitive }]) => sensitive === true)
    .map(([name]) => settings[name]);
  return masker([...ofChannel, ...ofInstallation]);
}

/** Masks these texts; values that are not text, or empty, are ignored. */
export function masker(values: readonly unknown[]): (text: string) => string {
  const secrets = values
    .filter((value): value is string => typeof value === "string" && value.length > 0)
    .flatMap((value) => [value, encodeURIComponent(value.toWellFormed())])
    // A secret may be the prefix of another one, whose rest must not remain.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

/**
 * Details of a log entry as JSON with every string masked, one by one, because a secret may contain characters that
 * JSON escapes.
 */
export function redactDetails(
  details: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, unknown> {
  const mask = (_key: string, value: unknown): unknown => (typeof value === "string" ? redact(value) : value);
  return JSON.parse(JSON.stringify(details, mask)) as Record<string, unknown>;
}
