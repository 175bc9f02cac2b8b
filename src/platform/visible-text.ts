/**
 * What a terminal obeys instead of showing it: controls (C0, DEL, C1) but the tab and the line feed, separators of lines
 * and paragraphs, and marks that turn the direction of what follows.
 */
const COMMAND = String.raw`[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]`;
const COMMANDS = new RegExp(COMMAND, "gu");
const JSON_TOKENS = new RegExp(String.raw`\\(?:u[0-9a-fA-F]{4}|.)|${COMMAND}`, "gu");

/**
 * Text for a terminal in which what strangers wrote can neither move the cursor nor hide or forge anything: each such
 * character is written as `\u001b`. JSON stays the same JSON.
 */
export function visibleText(text: string): string {
  return text.replace(COMMANDS, escaped);
}

/** The same for a cell of a table: tabs and line feeds are written so as well. */
export function visibleCell(text: string): string {
  return visibleText(text).replace(/[\t\n]/g, escaped);
}

/** A line of JSON whose strings are as `visibleText` has them once they are decoded. */
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
