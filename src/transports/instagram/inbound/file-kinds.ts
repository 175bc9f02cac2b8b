import type { MediaKind } from "../../../core/transport/definition.ts";
import { isFile } from "../../kit/opened-file.ts";
import type { InstagramLink } from "../access.ts";
import { isMetaFile } from "./addresses.ts";
import { addressToLookAt, type FileKinds } from "./attachments.ts";
import { typeOf } from "./files.ts";
import type { Message } from "./notifications.ts";

const LIMIT_MS = 5_000;
/** A message has at most ten files (page "Webhooks"); the others of a hostile one are not looked at. */
const MAX_FILES = 10;

/**
 * The kinds of the files behind shared posts, stories and reels: pictures or videos, and sometimes pages; only the content
 * type shows which. What does not respond in time is missing.
 */
export async function findKinds(message: Message | undefined, link: InstagramLink): Promise<FileKinds> {
  const urls = (message?.attachments ?? []).slice(0, MAX_FILES).map(addressToLookAt);
  const known = new Set(urls.filter((url) => url !== undefined));
  const found = await Promise.all([...known].map(async (url) => [url, await kindOf(url, link)] as const));
  return new Map(found.filter((each): each is [string, MediaKind | "page"] => each[1] !== undefined));
}

async function kindOf(url: string, link: InstagramLink): Promise<MediaKind | "page" | undefined> {
  try {
    const signal = AbortSignal.any([link.signal, AbortSignal.timeout(LIMIT_MS)]);
    const answer = await link.request({ method: "GET", url, signal });
    answer.stream().destroy();
    if (!isFile(answer)) return undefined;
    return kindByType(typeOf(answer.headers["content-type"]), isMetaFile(url));
  } catch {
    return undefined;
  }
}

function kindByType(type: string | undefined, isOfMeta: boolean): MediaKind | "page" | undefined {
  const [, media] = /^(image|video|audio)\//.exec(type ?? "") ?? [];
  if (media !== undefined) return media as "image" | "video" | "audio";
  if (type === undefined || type === "application/json") return undefined;
  if (type === "text/html") return isOfMeta ? undefined : "page";
  return "document";
}
