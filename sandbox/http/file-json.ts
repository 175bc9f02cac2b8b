import type { BlobStore } from "../blob-store.ts";

/** A stored file as returned by the admin APIs. */
export async function fileJson(
  blobs: BlobStore,
  file: { readonly key: string; readonly size: number; readonly mime: string },
): Promise<object> {
  const bytes = await blobs.slice(file.key, 0, file.size);
  return { mime_type: file.mime, size: file.size, base64: bytes.toString("base64") };
}
