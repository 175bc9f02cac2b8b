import type { Operations } from "../../kit/api/generated.ts";
import { withoutDirections } from "../../kit/bidi.ts";
import type { WireMessage } from "../model.ts";

/** An internal note, which only employees see. */
export type ExportedNote = Operations["listMessages"]["output"]["entries"][number];
export type ExportedItem = WireMessage | ExportedNote;

/** What an exported conversation says besides its messages. */
export interface ExportHead {
  readonly title: string;
  /** Language of the page, for browsers and screen readers. */
  readonly language: string;
  /** The customer, for messages without a sender. */
  readonly customer: string;
  /** An employee without a name, or the device of the channel. */
  readonly us: string;
  readonly timeOf: (time: number) => string;
  /** A message without text. */
  readonly kindOf: (message: WireMessage) => string;
  readonly deleted: string;
  readonly edited: string;
  readonly notSent: string;
  /** Marks an internal note. */
  readonly note: string;
}

interface Line {
  readonly time: string;
  readonly at: string;
  readonly author: string;
  readonly isOut: boolean;
  readonly marks: string;
  readonly text: string;
  readonly file: { readonly name: string; readonly url: string } | null;
}

function lineOf(head: ExportHead, item: ExportedItem): Line {
  return "kind" in item ? lineOfNote(head, item) : lineOfMessage(head, item);
}

function lineOfNote(head: ExportHead, { at, author, text, edited_at: editedAt }: ExportedNote): Line {
  return {
    time: head.timeOf(Date.parse(at)),
    at,
    author: withoutDirections(author.name ?? head.us),
    isOut: true,
    marks: editedAt === null ? head.note : `${head.note}, ${head.edited}`,
    text,
    file: null,
  };
}

function lineOfMessage(head: ExportHead, message: WireMessage): Line {
  const { direction, sender, author, file, text, at } = message;
  const isOut = direction !== "in";
  const name = (isOut ? author?.name : sender?.name) ?? "";
  const marks = [
    message.edited_at === null ? "" : head.edited,
    message.deleted_at === null ? "" : head.deleted,
    message.status === "error" ? head.notSent : "",
  ];
  const kind = head.kindOf(message);
  return {
    time: head.timeOf(Date.parse(at)),
    at,
    author: withoutDirections(name === "" ? (isOut ? head.us : head.customer) : name),
    isOut,
    marks: marks.filter((mark) => mark !== "").join(", "),
    text: text === null || text === "" ? (file === null ? kind : "") : text,
    file:
      file === null || !/^https?:/i.test(file.url)
        ? null
        : { name: withoutDirections(file.name ?? kind), url: file.url },
  };
}

/** A conversation as plain text, oldest message first. Pure. */
export function asText(head: ExportHead, messages: readonly ExportedItem[]): string {
  const lines = messages.map((message) => {
    const { time, author, marks, text, file } = lineOf(head, message);
    const about = `[${time}] ${author}${marks === "" ? "" : ` (${marks})`}:`;
    const content = [text, file === null ? "" : `${file.name}: ${file.url}`].filter((part) => part !== "");
    return `${about} ${content.join("\n")}`.trimEnd();
  });
  return `${[head.title, "", ...lines].join("\n")}\n`;
}

/** A conversation as a page that needs no other file and runs no script. Pure. */
export function asPage(head: ExportHead, messages: readonly ExportedItem[]): string {
  const items = messages.map((message) => {
    const { time, at, author, isOut, marks, text, file } = lineOf(head, message);
    const about = `<b dir="auto">${escaped(author)}</b> <time datetime="${escaped(at)}">${escaped(time)}</time>`;
    const link =
      file === null
        ? ""
        : `<p><a href="${escaped(file.url)}" rel="noopener noreferrer" dir="auto">${escaped(file.name)}</a></p>`;
    const content = text === "" ? "" : `<p dir="auto">${escaped(text)}</p>`;
    return `<li${isOut ? ' class="out"' : ""}><p>${about}${marks === "" ? "" : ` <i>${escaped(marks)}</i>`}</p>${content}${link}</li>`;
  });
  return `<!doctype html>
<html lang="${escaped(head.language)}">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(head.title)}</title>
<style>${STYLE}</style>
<h1 dir="auto">${escaped(head.title)}</h1>
<ol>
${items.join("\n")}
</ol>
</html>
`;
}

const STYLE = `body{font:15px/1.4 system-ui,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
ol{list-style:none;padding:0}li{margin:0 0 .75rem;padding:.5rem .75rem;border:1px solid #bbb;border-radius:8px;break-inside:avoid}
li.out{margin-left:2rem}li:not(.out){margin-right:2rem}p{margin:0;white-space:pre-wrap}time,i{color:#555;font-size:13px}`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** A file name of a title: without characters that file systems or shells understand. Pure. */
export function fileNameOf(title: string, ending: string): string {
  const name = withoutDirections(title)
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[ .]+|[ .]+$/g, "")
    .slice(0, 80);
  return `${name === "" ? "chat" : name}.${ending}`;
}
