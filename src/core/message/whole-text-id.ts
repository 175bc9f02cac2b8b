const SUFFIX = "#text";

/**
 * The external id of the item with the whole text of a message that was cut, or of its edit at this time. No messenger
 * has such ids. Pure.
 */
export function wholeTextId(externalId: string, editedAt?: Date): string {
  return externalId + SUFFIX + (editedAt === undefined ? "" : editedAt.getTime());
}
