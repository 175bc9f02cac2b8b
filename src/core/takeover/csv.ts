/** A record of a CSV file: its cells, or why it is none. `line`: where it begins, counting from 1. */
export type CsvRecord =
  | { readonly line: number; readonly cells: readonly string[] }
  | { readonly line: number; readonly fault: string };

/** A longer record has lost its closing quote. UTF-16 units. */
const MAX_RECORD_LENGTH = 1024 * 1024;
const DELIMITERS = [",", ";", "\t"];

type Parsed =
  | { readonly cells: readonly string[]; readonly end: number }
  | { readonly fault: string }
  /** The rest of the record has not arrived. */
  | null;

/**
 * Parses CSV (RFC 4180) as it arrives, with CR LF, LF or CR as line ends, and the delimiter of its header: comma,
 * semicolon or tab. Holds one record in memory. A faulty record is reported, and parsing goes on in the line after the one
 * in which it begins: a lost quote costs one record instead of the rest of the file. Empty lines are skipped.
 */
export class CsvReader {
  #text = "";
  #line = 1;
  #delimiter = "";
  #plain = /[^,\r\n]*/y;
  #width: number | null = null;

  /** The complete records in the text so far. The first record of a file is its header. */
  read(chunk: string): CsvRecord[] {
    this.#text += chunk;
    return this.#records(false);
  }

  /** The last record. */
  end(): CsvRecord[] {
    return this.#records(true);
  }

  #records(isLast: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    let from = 0;
    while (from < this.#text.length) {
      if (this.#delimiter === "" && !this.#findDelimiter(isLast)) break;
      const parsed = this.#parse(from, isLast);
      if (parsed === null && this.#text.length - from <= MAX_RECORD_LENGTH) break;
      const record = this.#recordOf(parsed);
      const end = record === null || "cells" in record ? endOf(parsed) : null;
      const next = end ?? this.#nextLine(from, isLast);
      if (next === null) break;
      if (record !== null) records.push({ line: this.#line, ...record });
      this.#line += lineEnds(this.#text, from, next);
      from = next;
    }
    this.#text = this.#text.slice(from);
    return records;
  }

  /** Null: an empty line. */
  #recordOf(parsed: Parsed): { readonly cells: readonly string[] } | { readonly fault: string } | null {
    if (parsed === null) return { fault: `the record is longer than ${MAX_RECORD_LENGTH} characters` };
    if ("fault" in parsed) return parsed;
    const { cells } = parsed;
    if (cells.length === 1 && cells[0] === "") return null;
    this.#width ??= cells.length;
    return cells.length === this.#width
      ? { cells }
      : { fault: `the record has ${cells.length} cells, the header has ${this.#width}` };
  }

  /** By the header's first line, in which no cell has a delimiter. */
  #findDelimiter(isLast: boolean): boolean {
    const end = this.#text.search(/[\r\n]/);
    if (end < 0 && !isLast && this.#text.length <= MAX_RECORD_LENGTH) return false;
    const header = end < 0 ? this.#text : this.#text.slice(0, end);
    const count = (delimiter: string): number => header.split(delimiter).length;
    this.#delimiter = DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
    this.#plain = new RegExp(`[^${this.#delimiter}\\r\\n]*`, "y");
    return true;
  }

  #parse(from: number, isLast: boolean): Parsed {
    const text = this.#text;
    const cells: string[] = [];
    for (let at = from; ; ) {
      const cell = text[at] === '"' ? quotedCell(text, at, isLast) : this.#plainCell(at);
      if (cell === null || "fault" in cell) return cell;
      cells.push(cell.value);
      const next = text[cell.end];
      if (next === this.#delimiter) at = cell.end + 1;
      else if (next === undefined) return isLast ? { cells, end: cell.end } : null;
      else if (next === "\r" || next === "\n") return lineEnd(text, cell.end, isLast, cells);
      else return { fault: `there is text after a closing quote in cell ${cells.length}` };
    }
  }

  #plainCell(at: number): { readonly value: string; readonly end: number } {
    this.#plain.lastIndex = at;
    const value = this.#plain.exec(this.#text)?.[0] ?? "";
    return { value, end: at + value.length };
  }

  /** Where the line after that of `from` begins; null: it has not arrived. */
  #nextLine(from: number, isLast: boolean): number | null {
    LINE_END.lastIndex = from;
    const found = LINE_END.exec(this.#text);
    if (found === null) return isLast ? this.#text.length : null;
    const isWhole = found[0] !== "\r" || LINE_END.lastIndex < this.#text.length || isLast;
    return isWhole ? LINE_END.lastIndex : null;
  }
}

const LINE_END = /\r\n|\n|\r/g;

function endOf(parsed: Parsed): number | null {
  return parsed !== null && "end" in parsed ? parsed.end : null;
}

function quotedCell(
  text: string,
  from: number,
  isLast: boolean,
): { readonly value: string; readonly end: number } | { readonly fault: string } | null {
  let hasQuotes = false;
  for (let at = from + 1; ; hasQuotes = true) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return isLast ? { fault: "a quote is not closed" } : null;
    if (text[quote + 1] !== '"') {
      if (quote + 1 === text.length && !isLast) return null;
      const value = text.slice(from + 1, quote);
      return { value: hasQuotes ? value.replaceAll('""', '"') : value, end: quote + 1 };
    }
    at = quote + 2;
  }
}

/** A CR may be the first half of a line end. */
function lineEnd(text: string, at: number, isLast: boolean, cells: readonly string[]): Parsed {
  if (text[at] === "\n") return { cells, end: at + 1 };
  if (text[at + 1] === undefined && !isLast) return null;
  return { cells, end: text[at + 1] === "\n" ? at + 2 : at + 1 };
}

function lineEnds(text: string, from: number, to: number): number {
  LINE_END.lastIndex = from;
  let count = 0;
  while (LINE_END.lastIndex < to && LINE_END.exec(text) !== null) count += 1;
  LINE_END.lastIndex = 0;
  return count;
}
