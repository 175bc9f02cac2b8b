/**
 * Characters that a terminal interprets instead of displaying: control characters (C0, DEL, C1) except tab and line
 * feed, line and paragraph separators, and bidirectional control characters.
 */
const CONTROL = String.raw`[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]`;
const CONTROLS = new RegExp(CONTROL, "gu");
const JSON_TOKENS = new RegExp(String.raw`\\(?:u[0-9a-fA-F]{4}|.)|${CONTROL}`, "gu");

/**
 * Escapes foreign text for a terminal, so that it cannot move the cursor or hide or forge output: each such character
 * is written as `\u001b`. JSON stays equivalent.
 */
export function visibleText(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** Like `visibleText`, for a table cell: also escapes tabs and line feeds. */
export function visibleCell(text: string): string {
  return visibleText(text).replace(/[\t\n]/g, escaped);
}

/** Escapes a line of JSON so that its decoded strings equal the output of `visibleText`. */
export function visibleJson(line: string): string {
  return line.replace(JSON_TOKENS, (token) => {
    if (!token.startsWith("\\")) return `\\${escaped(token)}`;
    const char: unknown = JSON.parse(`"${token}"`);
    const isCommand = typeof char === "string" && visibleText(char) !== char;
    return isCommand ? `\\${escaped(char)}` : token;
  });
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
