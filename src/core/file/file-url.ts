/** The public link of a stored file; the name at its end is for people, only the key counts. */
export function fileUrl(publicUrl: string, key: string | null, name: string | null): string | null {
  if (key === null) return null;
  return `${publicUrl}/files/${key}${name === null || name === "" ? "" : `/${encodeURIComponent(name)}`}`;
}
