import type { Blob, BlobStore } from "../blob-store.ts";
import type { Exchange } from "./exchange.ts";

/** Responds with a stored file. */
export function sendFile(exchange: Exchange, blobs: BlobStore, file: Blob & { readonly mime: string }): void {
  exchange.response.writeHead(200, { "Content-Type": file.mime, "Content-Length": file.size });
  const stream = blobs.read(file.key);
  stream.on("error", () => exchange.response.destroy());
  stream.pipe(exchange.response);
}
