import { type Leaf, leavesOf } from "./leaves.ts";

/** A value that a person could have written, and that occurs nowhere else. */
export interface Mark {
  readonly value: string | number;
  /** What must be found of it. */
  readonly trace: string;
}

const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i;
const PHONE = /^\+?\d[\d ()-]{4,}$/;

/** The value of a leaf, changed so that it stays of its kind and can be recognized. `count` is another one each time. */
export function markOf({ value }: Pick<Leaf, "value">, count: number): Mark {
  if (typeof value === "number") return { value: 7_000_000 + count, trace: String(7_000_000 + count) };
  if (PHONE.test(value)) {
    const digits = value.replace(/\D/g, "");
    const trace = digits.slice(0, -4) + String(1_000 + (count % 9_000));
    return { value: value.startsWith("+") ? `+${trace}` : trace, trace };
  }
  const trace = `qz${count}x`;
  if (value.includes("END:VCARD")) {
    return { value: value.replace("END:VCARD", `NOTE:${trace}\nEND:VCARD`), trace };
  }
  if (!URL_START.test(value)) return { value: value === "" ? trace : `${value} ${trace}`, trace };
  return { value: value + (value.includes("?") ? `&m=${trace}` : `/${trace}`), trace };
}

/** Every text that values hold, also within JSON texts and encoded ones, as one string to search. */
export function searchable(values: readonly unknown[]): string {
  const texts = values.flatMap((value) => [...leavesOf(value)].map((leaf) => String(leaf.value)));
  const all = texts.flatMap((text) => [text, decoded(text), text.replace(/[^\d]/g, "")]);
  return all.join("\n");
}

function decoded(text: string): string {
  try {
    return `${decodeURIComponent(text)}\n${Buffer.from(text, "base64").toString()}`;
  } catch {
    return "";
  }
}
