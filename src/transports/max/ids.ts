/** The dialog of two people has their ids, exclusive-or; so the other person's is the dialog's with one's own. */
export function dialogId(one: string, other: string): string {
  return String(BigInt.asIntN(64, BigInt(one) ^ BigInt(other)));
}

/** A whole number of 64 bits; undefined for what is none. */
export function idIn(text: string): bigint | undefined {
  if (!/^-?\d{1,20}$/.test(text)) return undefined;
  const id = BigInt(text);
  return BigInt.asIntN(64, id) === id ? id : undefined;
}

/** The message of a part of an album (`…#2`), or of a message as it is. */
export function messageIdIn(externalId: string): bigint | undefined {
  return idIn(externalId.split("#")[0] ?? "");
}
