import { beginning } from "../../kit/pieces.ts";

/** More lines and addresses of a card are not read or shown; a photo in it is one long line. */
const MAX_LINES = 1_000;
const MAX_ADDRESSES = 20;

export interface Card {
  readonly name: string;
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly organisation: string;
}

/** Fields of the first person in a vCard (RFC 6350, and the older formats that messengers send). */
export function readVcard(text: string): Card {
  const lines = text
    .replaceAll(/\r?\n[ \t]/g, "")
    .split(/\r?\n/, MAX_LINES)
    .flatMap((line) => {
      const [, name = "", value = ""] = /^(?:[\w-]+\.)?([\w-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? [];
      return value === "" ? [] : [{ name: name.toUpperCase(), value: unescaped(value) }];
    });
  const all = (name: string) =>
    lines.filter((line) => line.name === name).map(({ value }) => beginning(value.trim()));
  const parts = (all("N")[0] ?? "").split(";");
  const composed = [parts[1], parts[0]].filter((part) => part !== undefined && part !== "").join(" ");
  return {
    name: all("FN")[0] ?? beginning(composed),
    phones: [...new Set(all("TEL").map((value) => value.replace(/^tel:/i, "")))].slice(0, MAX_ADDRESSES),
    emails: [...new Set(all("EMAIL"))].slice(0, MAX_ADDRESSES),
    organisation: (all("ORG")[0] ?? "").split(";")[0] ?? "",
  };
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([\\,;nN])/g, (_, letter: string) => (/n/i.test(letter) ? "\n" : letter));
}
