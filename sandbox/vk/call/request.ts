import type { BlobStore } from "../../blob-store.ts";
import { BodyTooLarge, type Exchange, readBody } from "../../http/exchange.ts";
import { readMultipart } from "../../http/multipart.ts";
import { VkError } from "./vk-error.ts";

const maxBodyBytes = 8 * 1024 * 1024;

/** The parameters of a call, from its query and its form; the token also from the header. */
export async function readValues(exchange: Exchange, blobs: BlobStore): Promise<Record<string, string>> {
  const values: Record<string, string> = Object.fromEntries(new URLSearchParams(exchange.query));
  const bearer = /^Bearer\s+(.+)$/i.exec(exchange.request.headers.authorization ?? "")?.[1];
  if (exchange.method !== "GET") Object.assign(values, await readForm(exchange, blobs));
  return bearer === undefined ? values : { access_token: bearer, ...values };
}

async function readForm({ request }: Exchange, blobs: BlobStore): Promise<Readonly<Record<string, string>>> {
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) {
    const tooLarge = () => new VkError(8, "request is too large");
    const unreadable = () => new VkError(8, "multipart body can't be read");
    const limits = { maxFileBytes: maxBodyBytes, maxFieldBytes: maxBodyBytes, tooLarge, unreadable };
    return (await readMultipart(request, blobs, limits)).fields;
  }
  try {
    // A body of another type is ignored: the call then lacks its parameters.
    const text = (await readBody(request, maxBodyBytes)).toString();
    return type.startsWith("application/x-www-form-urlencoded")
      ? Object.fromEntries(new URLSearchParams(text))
      : {};
  } catch (error) {
    throw error instanceof BodyTooLarge ? new VkError(8, "request is too large") : error;
  }
}
