/**
 * The id of the dialog of two people is the exclusive-or of their ids, so the other person's id is the exclusive-or
 * of the dialog's id and one's own.
 */
export function dialogId(one: string, other: string): string {
  return String(BigInt.asIntN(64, BigInt(one) ^ BigInt(other)));
}

/** A 64-bit integer; undefined if the text is not one. */
export function idIn(text: string): bigint | undefined {
  if (!/^-?\d{1,20}$/.test(text)) return undefined;
  const id = BigInt(text);
  return BigInt.asIntN(64, id) === id ? id : undefined;
}

/** The message id in the external id of a message or of a part of an album (`…#2`). */
export function messageIdIn(externalId: string): bigint | undefined {
  return idIn(externalId.split("#")[0] ?? "");
}
