const SUFFIX = "#text";
/** The next one, in the order of any collation. */
const AFTER_SUFFIX = "#texu";

/**
 * The external id of the item with the whole text of a message that was cut, or of its edit at this time. No messenger
 * has such ids. Pure.
 */
export function wholeTextId(externalId: string, editedAt?: Date): string {
  return externalId + SUFFIX + (editedAt === undefined ? "" : editedAt.getTime());
}

/** The ids of all such items of a message begin with `first` and are before `end`. Pure. */
export function wholeTextRange(externalId: string): readonly [first: string, end: string] {
  return [externalId + SUFFIX, externalId + AFTER_SUFFIX];
}

/** The id of the message to which such an item belongs. Pure. */
export function messageIdOf(wholeTextId: string): string {
  return wholeTextId.slice(0, wholeTextId.lastIndexOf(SUFFIX));
}
