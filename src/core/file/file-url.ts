import { withoutCell } from "../cell.ts";

/** The public link of a stored file. The name at its end is only for people; the key identifies the file. */
export function fileUrl(publicUrl: string, key: string | null, name: string | null): string | null {
  if (key === null) return null;
  return `${publicUrl}/files/${key}${name === null || name === "" ? "" : `/${encodeURIComponent(name)}`}`;
}

/** Whether this is a link of `fileUrl`, of whichever cell. `installationUrl`: the base of links of all cells. */
export function isFileUrl(installationUrl: string, url: string): boolean {
  return (
    url.startsWith(`${installationUrl}/`) &&
    withoutCell(url.slice(installationUrl.length)).startsWith("/files/")
  );
}
