import { Fields, invalid } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import type { Words } from "../inbound.ts";
import type { World } from "../world.ts";

interface Sample {
  readonly mime: string;
  readonly name: string;
  readonly thumbnail: boolean;
}

/** Defaults for a file of each kind. */
const samples: Readonly<Record<string, Sample>> = {
  picture: { mime: "image/jpeg", name: "picture.jpg", thumbnail: true },
  video: { mime: "video/mp4", name: "video.mp4", thumbnail: true },
  file: { mime: "application/pdf", name: "document.pdf", thumbnail: false },
};

/** Parses a person's message into the API's format. `kind` defaults to text. */
export async function readWords(world: World, body: Fields): Promise<Words> {
  const kind = body.text("kind") ?? "text";
  const sample = samples[kind];
  if (sample) return readFile(world, body, kind, sample);
  switch (kind) {
    case "text":
      return { type: "text", text: body.needText("text") };
    case "url":
      return { type: "url", media: body.text("url") ?? "https://example.com/" };
    case "sticker": {
      const media = await world.media.add(sampleFile("image/webp", undefined), "image/webp", "sticker.png");
      return { type: "sticker", sticker_id: body.integer("sticker_id") ?? 46105, media };
    }
    case "contact":
      return {
        type: "contact",
        contact: {
          name: body.text("name") ?? "Lucia Gomez",
          phone_number: body.text("phone") ?? "+19835552319",
        },
      };
    case "location": {
      const location = { lat: body.number("latitude") ?? 50.76, lon: body.number("longitude") ?? 6.1 };
      return { type: "location", location };
    }
    default:
      throw invalid("kind", `text, ${Object.keys(samples).join(", ")}, url, sticker, contact or location`);
  }
}

/** `file`: `{base64?, size?, name?, mime_type?}`; without bytes, sample bytes are used. */
async function readFile(world: World, body: Fields, kind: string, sample: Sample): Promise<Words> {
  const given = body.nested("file") ?? new Fields({});
  const mime = given.text("mime_type") ?? sample.mime;
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > 100 * 1024 * 1024))
    throw invalid("file.size", "1 to 104857600");
  const base64 = given.text("base64");
  const bytes = base64 === undefined ? sampleFile(mime, size) : Buffer.from(base64, "base64");
  const name = given.text("name") ?? sample.name;
  const media = await world.media.add(bytes, mime, name);
  const text = body.text("text");
  return {
    type: kind,
    media,
    ...(sample.thumbnail && { thumbnail: media }),
    ...(text !== undefined && { text }),
    file_name: name,
    size: bytes.length,
    ...(kind === "video" && { duration: body.integer("duration") ?? 10 }),
  };
}
