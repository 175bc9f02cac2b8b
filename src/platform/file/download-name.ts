import { basename } from "node:path";

const MAX_LENGTH = 200;

/** The name of a downloaded file: from Content-Disposition (RFC 6266), or the last part of the URL. */
export function downloadName(url: URL, contentDisposition: string | string[] | undefined): string {
  const header = String(contentDisposition ?? "");
  return (
    safeName(extendedName(header) ?? plainName(header) ?? decoded(basename(url.pathname)) ?? "") || "file"
  );
}

/** `filename*=UTF-8''na%C3%AFve.txt` */
function extendedName(header: string): string | undefined {
  const value = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  return value === undefined ? undefined : decoded(value);
}

/** `filename="a.txt"` or `filename=a.txt`. Servers often put raw UTF-8 there, which arrives as Latin-1. */
function plainName(header: string): string | undefined {
  const match = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header);
  const value = match?.[1]?.replace(/\\(.)/g, "$1") ?? match?.[2];
  if (value === undefined) return undefined;
  const utf8 = Buffer.from(value, "latin1").toString("utf8");
  return utf8.includes("\ufffd") ? value : utf8;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Control characters, and characters that change the text direction: `gpj.exe` could be displayed as `exe.jpg`. */
const INVISIBLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A safe file name: no directories, invisible characters or leading dots, and within the length limit of file
 * systems; "" if nothing is left.
 */
export function safeName(name: string): string {
  const plain = name
    .replace(INVISIBLE, "")
    .replace(/^.*[/\\]/s, "")
    .replace(/^\.+/, "")
    .trim();
  if (plain.length <= MAX_LENGTH) return plain;
  const extension = /\.\w{1,10}$/.exec(plain)?.[0] ?? "";
  return plain.slice(0, MAX_LENGTH - extension.length) + extension;
}
