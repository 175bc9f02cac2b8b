import type { Letter } from "./letter.ts";
import type { World } from "./world.ts";

/** The kind of a message, in the admin API's terms. */
export function kindOf(world: World, { action, media }: Letter): string {
  if (action) return action._.replace("messageAction", "");
  if (!media) return "text";
  if (media.kind === "photo") return "photo";
  if (media.kind === "other") return media.media._.replace("messageMedia", "").toLowerCase();
  for (const each of world.state.files.get(media.file)?.attributes ?? []) {
    if (each._ === "documentAttributeSticker") return "sticker";
    if (each._ === "documentAttributeAnimated") return "gif";
    if (each._ === "documentAttributeVideo") return each.roundMessage ? "video_note" : "video";
    if (each._ === "documentAttributeAudio") return each.voice ? "voice" : "audio";
  }
  return "document";
}
