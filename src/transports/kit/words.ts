import { isJson, type Json, parsed } from "./json.ts";

/** A hostile report may have paths or texts whose lines would be far longer than itself. */
const MAX_CHARACTERS = 100_000;

/** The texts that are there, one a line. Null if there are none. Pure. */
export function joined(lines: readonly (string | undefined)[], separator = "\n"): string | null {
  const found = lines.filter((line) => line !== undefined && line !== "");
  return found.length === 0 ? null : found.join(separator);
}

/** Words that lead somewhere, with the address unless it stands in them already: `words (address)`. Pure. */
export function linked(words: string | undefined, address: string | undefined): string | undefined {
  if (address === undefined || words?.includes(address) === true) return words;
  return words === undefined ? address : `${words} (${address})`;
}

/** Characters around an address in a text. */
const AROUND = /[\s<>"'«»“”„(){}[\]]+/;
/** A text of thousands of words has few addresses; a hostile one is not worth more. */
const MAX_TOKENS = 20_000;

/**
 * Whether an address stands in the text, however it is written there: without its scheme, `www.` or last slash, or with
 * the letters of its language instead of their codes. Pure.
 */
export function hasAddress(text: string, address: string): boolean {
  return addressSearch(text)(address);
}

/** The same for the many addresses that may belong to one text, which is read once. Pure. */
export function addressSearch(text: string): (address: string) => boolean {
  let found: ReadonlySet<string> | undefined;
  return (address) => {
    found ??= new Set(text.split(AROUND, MAX_TOKENS).filter(isAddressLike).map(plainAddress));
    return found.has(plainAddress(address));
  };
}

const isAddressLike = (token: string): boolean => token.length < 4_096 && /[^.]\.[^.]/.test(token);

function plainAddress(address: string): string {
  const ended = address.replace(/[.,;:!?…]+$/, "");
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(ended) ? ended : `https://${ended}`;
  const { host, pathname, search, hash } = URL.parse(whole) ?? {
    host: ended,
    pathname: "",
    search: "",
    hash: "",
  };
  return `${host.replace(/^www\./, "")}${pathname.replace(/\/+$/, "")}${search}${hash}`;
}

/**
 * A readable line for each field of a structured answer, such as a form: `name: Zoe`. Fields inside others are named by
 * their path, without numbers of lists. Empty fields, and those of `hidden`, have no line. Pure.
 */
export function answerLines(data: unknown, hidden: readonly string[] = []): string[] {
  const lines: string[] = [];
  let left = MAX_CHARACTERS;
  const add = (path: readonly string[], value: unknown): void => {
    if (left <= 0 || value === undefined || value === null || value === "") return;
    if (Array.isArray(value)) {
      const plain = value.filter((item) => typeof item !== "object");
      if (plain.length === value.length) add(path, plain.join(", "));
      else for (const item of value) add(path, item);
    } else if (isJson(value)) {
      for (const [name, part] of Object.entries(value))
        if (!hidden.includes(name)) add([...path, name], part);
    } else {
      const line = path.length === 0 ? String(value) : `${path.join(" ")}: ${String(value)}`;
      left -= line.length;
      lines.push(line);
    }
  };
  add([], data);
  return lines;
}

/** The same for JSON text; a text that is not JSON is its own line. Pure. */
export function answerLinesOf(json: string | undefined, hidden: readonly string[] = []): string[] {
  if (json === undefined) return [];
  const data = parsed(json);
  return data === undefined ? [json] : answerLines(data, hidden);
}

/** A structured answer as JSON text, without its empty fields. */
export function answerJson(data: Json): string {
  return JSON.stringify(data, (_, value: unknown) => value ?? undefined);
}

/** Fields by which messengers name what a person reads or opens. */
const READABLE: readonly string[] = [
  "title",
  "subtitle",
  "header",
  "headline",
  "name",
  "filename",
  "question",
  "display_text",
  "text",
  "body",
  "content",
  "caption",
  "description",
  "label",
  "address",
  "footer",
  "url",
  "link",
  "phone_number",
  "copy_code",
];

/**
 * What a person can read in a part of an unknown kind: the texts of the fields with a telling name, at every depth, one
 * a line and each once. Null if there are none. Pure.
 */
export function wordsIn(part: unknown): string | null {
  const found = new Set<string>();
  let left = MAX_CHARACTERS;
  const search = (value: unknown, isReadable: boolean): void => {
    if (left <= 0) return;
    if (typeof value === "string" && isReadable && value.trim() !== "") {
      left -= value.length;
      found.add(value);
    } else if (Array.isArray(value)) for (const item of value) search(item, isReadable);
    else if (isJson(value)) searchFields(value);
  };
  const searchFields = (object: Json): void => {
    for (const [name, value] of Object.entries(object))
      if (!ArrayBuffer.isView(value)) search(value, READABLE.includes(name));
  };
  search(part, true);
  return joined([...found]);
}
