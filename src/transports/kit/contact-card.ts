export interface ContactCard {
  readonly phone?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** The card that the messenger gives, if there is one. */
  readonly vcard?: string | undefined;
}

/** A card may have the number without the country's code, or with another prefix. */
const NATIONAL_DIGITS = 9;

/**
 * A shared contact as a vCard: the given one, with the number and the name if they are missing in it; or a vCard 3.0
 * (RFC 2426). Pure.
 */
export function toVcard({ phone = "", firstName = "", lastName = "", vcard }: ContactCard): string {
  const name = [firstName, lastName].filter(Boolean).join(" ");
  const tel = `TEL;TYPE=CELL:${escaped(phone)}`;
  if (vcard !== undefined) {
    const isNameMissing = name !== "" && !/^(?:[\w-]+\.)?(?:FN|N)[:;]/im.test(vcard);
    const isNumberMissing =
      phone !== "" && !digitsOf(vcard).includes(digitsOf(phone).slice(-NATIONAL_DIGITS));
    return completed(vcard, [
      ...(isNameMissing ? [`FN:${escaped(name)}`] : []),
      ...(isNumberMissing ? [tel] : []),
    ]);
  }
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${escaped(lastName)};${escaped(firstName)};;;`,
    `FN:${escaped(name)}`,
    tel,
    "END:VCARD",
  ];
  return `${lines.join("\r\n")}\r\n`;
}

function completed(vcard: string, lines: readonly string[]): string {
  if (lines.length === 0) return vcard;
  const end = vcard.search(/^END:VCARD/im);
  const at = end < 0 ? vcard.length : end;
  return `${vcard.slice(0, at)}${lines.map((line) => `${line}\r\n`).join("")}${vcard.slice(at)}`;
}

const digitsOf = (text: string): string => text.replace(/\D/g, "");

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}
