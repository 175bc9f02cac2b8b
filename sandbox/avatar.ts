import type { Exchange } from "./http/exchange.ts";
import { sampleFile } from "./sample-file.ts";

/** The prefix of pictures of people who have none of their own. */
export const avatarPath = "/avatar/";

/** The address of such a picture on an emulator at `url`. The bytes are the same in each size. */
export function avatarUrl(url: string, size: string): string {
  return `${url}${avatarPath}${size}.png`;
}

/** `GET` on such an address. */
export function serveAvatar({ response }: Exchange): void {
  response.writeHead(200, { "Content-Type": "image/png" }).end(sampleFile("image/png", undefined));
}
