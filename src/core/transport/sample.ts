/** Characters of a stored sample; a longer one is cut and stored as text. */
const MAX_SAMPLE = 16_000;

/** A sample of a messenger's report as JSON text of bounded length. Takes any value; never throws. */
export function sampleText(sample: unknown): string {
  const text = textOf(sample);
  return text.length <= MAX_SAMPLE ? text : JSON.stringify(text.slice(0, MAX_SAMPLE));
}

function textOf(sample: unknown): string {
  try {
    return JSON.stringify(sample, (_key, value: unknown) => plain(value)) ?? "null";
  } catch {
    // Objects of a library may refer to themselves.
    return JSON.stringify(String(sample));
  }
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return ArrayBuffer.isView(value) ? `${value.byteLength} bytes` : value;
}
