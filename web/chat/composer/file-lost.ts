/** The browser cannot read a chosen file any more: it was changed, moved or deleted, or its disk was removed. */
export class FileLost extends Error {
  readonly fileName: string;

  constructor(fileName: string) {
    super(`${fileName} cannot be read`);
    this.fileName = fileName;
  }
}
