/** The JSON contains more values than allowed, or is nested deeper. */
export class JsonTooLarge extends Error {
  override readonly name = "JsonTooLarge";
}

/**
 * The deepest nesting of foreign JSON. Messengers nest the deepest where messages are forwarded again and again, which
 * VK limits to some forty levels of a list and an object each. Whatever recurses over a value must be able to bear it.
 */
const MAX_DEPTH = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Integers with at most this many digits are exact in JavaScript. */
const SAFE_DIGITS = 15;

/**
 * Parses untrusted JSON. The limits are checked before the parser builds anything: nesting up to 128 levels, and
 * `maxValues`, where each `,`, `[` and `{` counts as one. Integers that a JavaScript number cannot hold exactly, such as
 * long ids, become strings. Takes time linear in the length of the text for any input; a reviver, which visits each
 * value, is about 30 times slower. Throws `JsonTooLarge` or `SyntaxError`.
 */
export function parseBounded(text: string, maxValues: number): unknown {
  return JSON.parse(quoteLongNumbers(text, maxValues));
}

/** Makes one pass over the text. Invalid JSON stays invalid. */
function quoteLongNumbers(text: string, maxValues: number): string {
  const parts: string[] = [];
  let values = 0;
  let depth = 0;
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(text, at);
      // Two strings in a row are not JSON: the parser stops here, and a million of them need not be scanned.
      if (text.charCodeAt(at + 1) === QUOTE) return text;
    } else if (isDigit(code)) {
      const end = endOfNumber(text, at);
      const start = text.charCodeAt(at - 1) === MINUS ? at - 1 : at;
      if (end - at > SAFE_DIGITS && isUnsafeInteger(text.slice(start, end))) {
        parts.push(text.slice(copied, start), '"', text.slice(start, end), '"');
        copied = end;
      }
      at = end - 1;
    } else if (code === COMMA || code === BRACKET || code === BRACE) {
      if (++values > maxValues) throw new JsonTooLarge(`The JSON has more than ${maxValues} values`);
      if (code !== COMMA && ++depth > MAX_DEPTH)
        throw new JsonTooLarge(`The JSON is nested deeper than ${MAX_DEPTH} levels`);
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

const MINUS = 0x2d;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
const CLOSING_BRACKET = 0x5d;
const CLOSING_BRACE = 0x7d;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Index of the closing quote of the string that starts at `start`; the text's length if it is not closed. */
function endOfText(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote < 0) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  // A text with escapes may have a million of them: one pass is faster than a search for each.
  for (let end = start + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code === BACKSLASH) end++;
  }
  return text.length;
}

/** Index after the last character that can belong to the number. */
function endOfNumber(text: string, start: number): number {
  let end = start;
  while (isInNumber(text.charCodeAt(end))) end++;
  return end;
}

/** Digits, and the characters that make a number a non-integer: `+ - . E e`. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e || code === 0x45 || code === 0x65;
}

/** A JSON integer literal (no leading zeros) that is outside the safe range. */
function isUnsafeInteger(literal: string): boolean {
  return /^-?[1-9]\d*$/.test(literal) && !Number.isSafeInteger(Number(literal));
}
