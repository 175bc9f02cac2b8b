declare global {
  interface JSON {
    /** https://tc39.es/proposal-json-parse-with-source: text that `JSON.stringify` writes as it is. */
    rawJSON(text: string): RawNumber;
  }
}

/** A number that `JSON.stringify` writes with all its digits, whatever its size. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** An integer that may be larger than 2^53. */
export function rawNumber(value: bigint | string): RawNumber {
  return JSON.rawJSON(String(value));
}
