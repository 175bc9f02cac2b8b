/** A part of a message's text: plain, a link, or formatted. */
export type TextPart =
  | string
  | { readonly kind: "link"; readonly href: string; readonly text: string }
  | { readonly kind: Mark; readonly parts: readonly TextPart[] };
export type Mark = "bold" | "italic" | "strike" | "code";

const URL_OR_MAIL = /\b(?:https?:\/\/|www\.)[^\s<>"]+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/giu;
const TRAILING = /[.,:;!?'"»”…*_~]+$/u;
const MARKS: Readonly<Record<string, Mark>> = {
  "```": "code",
  "`": "code",
  "*": "bold",
  _: "italic",
  "~": "strike",
};
/** A mark touches its text and stands between words, as in WhatsApp. */
const MARKED =
  /(?<![\p{L}\p{N}])(?:(```)([\s\S]+?)```|(`)([^`\n]+)`|([*_~])(?!\s)([^\n]+?)(?<!\s)\5)(?![\p{L}\p{N}])/u;

/** Chat types whose messengers write formatting as marks in the text, which we store unchanged. */
const MARKING: ReadonlySet<string> = new Set(["whatsapp", "whatsgroup"]);

/** The parts of a text in order; together they contain every character except the marks. */
export function textParts(text: string, chatType: string): readonly TextPart[] {
  return MARKING.has(chatType) ? markedParts(text) : linkParts(text);
}

/** The text without its marks, for a single line. */
export function unmarked(text: string, chatType: string): string {
  const shown = (part: TextPart): string =>
    typeof part === "string" ? part : part.kind === "link" ? part.text : part.parts.map(shown).join("");
  return textParts(text, chatType).map(shown).join("");
}

function markedParts(text: string): readonly TextPart[] {
  const found = MARKED.exec(text);
  // A link may contain characters of marks.
  const link = linkParts(text).findIndex((part) => typeof part !== "string");
  if (found === null) return linkParts(text);
  if (link >= 0) {
    const [before, after] = splitAtLink(text);
    if (found.index >= before.length) return [...plain(before), ...after];
  }
  const mark = found[1] ?? found[3] ?? found[5] ?? "";
  const inner = found[2] ?? found[4] ?? found[6] ?? "";
  const kind = MARKS[mark] ?? "code";
  return [
    ...plain(text.slice(0, found.index)),
    { kind, parts: kind === "code" ? [inner] : markedParts(inner) },
    ...markedParts(text.slice(found.index + found[0].length)),
  ];
}

/** The text before the first link, the link, and the parts after it. */
function splitAtLink(text: string): [string, readonly TextPart[]] {
  const [first, second] = linkParts(text);
  const before = typeof first === "string" ? first : "";
  const link = typeof first === "string" ? second : first;
  if (link === undefined || typeof link === "string" || link.kind !== "link") return [text, []];
  return [before, [link, ...markedParts(text.slice(before.length + link.text.length))]];
}

const plain = (text: string): TextPart[] => (text === "" ? [] : [text]);

function linkParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(URL_OR_MAIL)) {
    const shown = withoutTail(found);
    const href = hrefOf(shown);
    if (href === null) continue;
    parts.push(...plain(text.slice(from, index)), { kind: "link", href, text: shown });
    from = index + shown.length;
  }
  return [...parts, ...plain(text.slice(from))];
}

/** Punctuation after a link belongs to the sentence; a closing bracket belongs to its opening one. */
function withoutTail(found: string): string {
  let shown = found;
  for (;;) {
    const trimmed = shown.replace(TRAILING, "");
    const unopened = /[)\]]$/.test(trimmed) && !/[([]/.test(trimmed);
    const next = unopened ? trimmed.slice(0, -1) : trimmed;
    if (next === shown) return shown;
    shown = next;
  }
}

/** Only web and mail addresses; everything else stays text. */
function hrefOf(text: string): string | null {
  const address = /^https?:/i.test(text) ? text : /^www\./i.test(text) ? `https://${text}` : `mailto:${text}`;
  return URL.canParse(address) ? new URL(address).href : null;
}
