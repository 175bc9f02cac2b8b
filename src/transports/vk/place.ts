import { itemPart, NOTHING, type Part, wordsPart } from "../kit/part.ts";
import type { VkGeo } from "./update.ts";

/** A place with its name and address; without coordinates, only those. */
export function placePart(geo: VkGeo | undefined): Part {
  const { title, address } = geo?.place ?? {};
  const { latitude, longitude } = geo?.coordinates ?? {};
  const text = [title, address].filter((line) => line !== undefined).join("\n");
  if (latitude === undefined || longitude === undefined) return text === "" ? NOTHING : wordsPart([text]);
  return itemPart({ type: "geo", latitude, longitude, text });
}
