import type { TransportDefinition } from "../transport/definition.ts";

const MASK = "***";

/** Masks every sensitive credential of a channel wherever it stands in a text: addresses, error texts, log lines. */
export function redactor(
  definition: TransportDefinition,
  credentials: Readonly<Record<string, unknown>>,
): (text: string) => string {
  const secrets = Object.entries(definition.credentials.properties)
    .filter(([, schema]) => "sensitive" in schema && schema.sensitive === true)
    .map(([name]) => credentials[name])
    .filter((value): value is string => typeof value === "string" && value.length > 0)
    .flatMap((value) => [value, encodeURIComponent(value)]);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}
