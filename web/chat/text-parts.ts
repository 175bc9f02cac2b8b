/** A part of a message's text: plain, a link, or formatted. */
export type TextPart = string | Link | { readonly kind: Mark; readonly parts: readonly TextPart[] };
export type Mark = "bold" | "italic" | "strike" | "code";
interface Link {
  readonly kind: "link";
  readonly href: string;
  readonly text: string;
}

// Customers choose the text, and it may be long: every search below takes time proportional to its length.

/** Links and marks of one text that become elements; later ones stay text. */
const MAX_ELEMENTS = 300;
/** How many more elements a text may have. */
interface Budget {
  left: number;
}
const unlimited = (): Budget => ({ left: Number.POSITIVE_INFINITY });

/** A mail address has at most 64 characters before its @. */
const URL_OR_MAIL = /\b(?:https?:\/\/|www\.)[^\s<>"`]+|(?<!\w[.+-])\b\w[\w.+-]{0,63}@[\w-]+(?:\.[\w-]+)+/giu;
const TRAILING = ".,:;!?'\"»”…*_~";
/** A mark touches its text and stands between words, as in WhatsApp. */
const OPENING = /(?<![\p{L}\p{N}])(?:`|[*_~](?!\s))/gu;
const MARKS: readonly { readonly mark: string; readonly kind: Mark; readonly closing: RegExp }[] = [
  { mark: "```", kind: "code", closing: /```(?![\p{L}\p{N}])/gu },
  { mark: "`", kind: "code", closing: /`(?![\p{L}\p{N}])/gu },
  { mark: "*", kind: "bold", closing: /(?<!\s)\*(?![\p{L}\p{N}])/gu },
  { mark: "_", kind: "italic", closing: /(?<!\s)_(?![\p{L}\p{N}])/gu },
  { mark: "~", kind: "strike", closing: /(?<!\s)~(?![\p{L}\p{N}])/gu },
];
const LINE_END = /\n/g;
const BACKTICK = /`/g;

/** Chat types whose messengers write formatting as marks in the text, which we store unchanged. */
const MARKING: ReadonlySet<string> = new Set(["whatsapp", "whatsgroup"]);

/**
 * The parts of a text in order; together they contain every character except the marks. Only the first links and marks
 * are parts of their own.
 */
export function textParts(text: string, chatType: string): readonly TextPart[] {
  const budget = { left: MAX_ELEMENTS };
  return MARKING.has(chatType) ? markedParts(text, budget) : linkParts(text, budget);
}

/** The text without its marks, for a single line. */
export function unmarked(text: string, chatType: string): string {
  const shown = (part: TextPart): string =>
    typeof part === "string" ? part : part.kind === "link" ? part.text : part.parts.map(shown).join("");
  return textParts(text, chatType).map(shown).join("");
}

function markedParts(text: string, budget: Budget): readonly TextPart[] {
  const parts: (readonly TextPart[])[] = [];
  let from = 0;
  for (const { kind, begin, start, end, after } of marksIn(withoutLinks(text), budget.left)) {
    parts.push(linkParts(text.slice(from, begin), budget));
    from = begin;
    if (budget.left === 0) break;
    budget.left--;
    const inner = text.slice(start, end);
    parts.push([{ kind, parts: kind === "code" ? [inner] : markedParts(inner, budget) }]);
    from = after;
  }
  return joined([...parts, linkParts(text.slice(from), budget)].flat());
}

/** Adjacent plain parts become one. */
function joined(parts: readonly TextPart[]): readonly TextPart[] {
  const whole: TextPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (typeof part === "string" && typeof last === "string") whole[whole.length - 1] = last + part;
    else whole.push(part);
  }
  return whole;
}

/** The text with letters in place of its links, which may contain characters of marks. */
function withoutLinks(text: string): string {
  return linkParts(text, unlimited())
    .map((part) => (typeof part === "string" ? part : "a".repeat(part.text.length)))
    .join("");
}

/** A marked part of a text: from `begin` to `after` with its marks, from `start` to `end` without them. */
interface Marked {
  readonly kind: Mark;
  readonly begin: number;
  readonly start: number;
  readonly end: number;
  readonly after: number;
}

/** The outermost marked parts in order, `most` of them. */
function marksIn(text: string, most: number): readonly Marked[] {
  const found: Marked[] = [];
  const next = searchIn(text);
  for (const { index: begin } of text.matchAll(OPENING)) {
    const opening = MARKS.find(({ mark }) => text.startsWith(mark, begin));
    if (found.length === most) break;
    if (opening === undefined || begin < (found.at(-1)?.after ?? 0)) continue;
    const { mark, kind, closing } = opening;
    const start = begin + mark.length;
    const end = next(closing, start + 1);
    const isBroken = mark !== "```" && next(LINE_END, start) < end;
    const isCut = mark === "`" && next(BACKTICK, start) < end;
    if (end < text.length && !isBroken && !isCut)
      found.push({ kind, begin, start, end, after: end + mark.length });
  }
  return found;
}

/**
 * Finds the first match at or after a position; infinity: none. Called with growing positions for each pattern, it
 * searches the text once.
 */
function searchIn(text: string): (pattern: RegExp, from: number) => number {
  const places = new Map<RegExp, number>();
  return (pattern, from) => {
    const known = places.get(pattern) ?? -1;
    if (known >= from) return known;
    pattern.lastIndex = from;
    const place = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    places.set(pattern, place);
    return place;
  };
}

const plain = (text: string): string[] => (text === "" ? [] : [text]);

function linkParts(text: string, budget: Budget): readonly (string | Link)[] {
  const parts: (string | Link)[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(URL_OR_MAIL)) {
    if (budget.left === 0) break;
    const shown = withoutTail(found);
    const href = hrefOf(shown);
    if (href === null) continue;
    budget.left--;
    parts.push(...plain(text.slice(from, index)), { kind: "link", href, text: shown });
    from = index + shown.length;
  }
  return [...parts, ...plain(text.slice(from))];
}

/** Punctuation after a link belongs to the sentence; a closing bracket belongs to its opening one. */
function withoutTail(found: string): string {
  const tail = /[([]/.test(found) ? TRAILING : `${TRAILING})]`;
  let length = found.length;
  while (length > 0 && tail.includes(found.charAt(length - 1))) length--;
  return found.slice(0, length);
}

/** Only web and mail addresses; everything else stays text. */
function hrefOf(text: string): string | null {
  const address = /^https?:/i.test(text) ? text : /^www\./i.test(text) ? `https://${text}` : `mailto:${text}`;
  return URL.canParse(address) ? new URL(address).href : null;
}
