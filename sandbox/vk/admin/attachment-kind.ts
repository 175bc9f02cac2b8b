import { randomInt } from "node:crypto";
import { Fields, invalid } from "../../http/fields.ts";
import { type ImageSize, readImageSize } from "../../image-size.ts";
import type { StoredFile } from "../../public-files.ts";
import { sampleFile } from "../../sample-file.ts";
import type { Dialog } from "../chat/dialog.ts";
import type { Community } from "../community.ts";
import type { Attachment } from "../shape.ts";
import { attachmentOf } from "../upload/library.ts";
import { audioMessageFields, docFields, graffitiFields, photoFields } from "../upload/media.ts";
import type { World } from "../world.ts";

/** Where a message is written, and by whom. */
export interface ContentPlace {
  readonly world: World;
  readonly community: Community;
  readonly dialog: Dialog;
  readonly fromId: number;
}

interface Sample {
  readonly name: string;
  readonly mime: string;
}

/** Defaults for a file of each kind. */
const samples: Readonly<Record<string, Sample>> = {
  photo: { name: "photo.jpg", mime: "image/jpeg" },
  doc: { name: "document.pdf", mime: "application/pdf" },
  audio_message: { name: "voice.ogg", mime: "audio/ogg" },
  audio: { name: "song.mp3", mime: "audio/mpeg" },
  video: { name: "video.mp4", mime: "video/mp4" },
  graffiti: { name: "graffiti.png", mime: "image/png" },
};

type Maker = (place: ContentPlace, body: Fields) => Promise<Attachment> | Attachment;

/** How each kind of attachment is created, by VK's name. */
export const makers: Readonly<Record<string, Maker>> = {
  photo: async (place, body) => {
    const file = await readFile(place, "photo", body);
    const size = await measure(place.world, file, { width: 1280, height: 853 });
    return keep(place, "photo", photoFields(place.world.files, file, size, place.world.clock.now()));
  },
  doc: async (place, body) => {
    const file = await readFile(place, "doc", body);
    const title = body.text("title") ?? file.name;
    return keep(place, "doc", docFields(place.world.files, file, title, place.world.clock.now()));
  },
  audio_message: async (place, body) => {
    const file = await readFile(place, "audio_message", body);
    return keep(
      place,
      "audio_message",
      audioMessageFields(place.world.files, file, body.integer("duration") ?? 2),
    );
  },
  graffiti: async (place, body) => {
    const file = await readFile(place, "graffiti", body);
    const size = await measure(place.world, file, { width: 512, height: 512 });
    return keep(place, "graffiti", graffitiFields(place.world.files, file, size));
  },
  audio: async (place, body) => {
    const file = await readFile(place, "audio", body);
    const { world } = place;
    const [artist, title] = [body.text("artist") ?? "Band", body.text("title") ?? "Song"];
    const fields = { artist, title, duration: 180, date: world.clock.now(), url: world.files.urlOf(file) };
    return keep(place, "audio", fields, false);
  },
  // A community does not get the address of a video file.
  video: (place, body) => {
    const image = [{ url: "https://vk.com/images/video.png", width: 320, height: 180, with_padding: 1 }];
    const title = body.text("title") ?? "Video";
    const fields = {
      title,
      description: "",
      duration: 5,
      date: place.world.clock.now(),
      image,
      views: 0,
      width: 640,
      height: 360,
    };
    return keep(place, "video", { ...fields, can_add: 0, type: "video" });
  },
  sticker: ({ world }, body) => {
    const id = body.integer("sticker_id") ?? 9008;
    const images = [64, 128, 256, 352, 512].map((side) => ({
      url: `${world.url()}/sticker/${id}-${side}`,
      width: side,
      height: side,
    }));
    const sticker = { inner_type: "base_sticker_new", sticker_id: id, product_id: 1, is_allowed: true };
    return { type: "sticker", sticker: { ...sticker, images, images_with_background: images } };
  },
  link: (_place, body) => {
    const url = body.text("url") ?? "https://example.com/";
    return {
      type: "link",
      link: { url, title: body.text("title") ?? "Example", description: "", caption: "example.com" },
    };
  },
  wall: (place, body) => {
    const fields = {
      from_id: place.fromId,
      to_id: place.fromId,
      date: place.world.clock.now(),
      post_type: "post",
    };
    const kept = keep(
      place,
      "wall",
      { ...fields, text: body.text("post_text") ?? "Post", attachments: [] },
      false,
    );
    return kept;
  },
  market: (place, body) => {
    const price = { amount: "100000", currency: { id: 643, name: "RUB", title: "₽" }, text: "1 000 ₽" };
    const category = { inner_type: "market_market_category_nested", id: 1, name: "Goods" };
    const fields = {
      title: body.text("title") ?? "Kettle",
      description: "",
      price,
      category,
      availability: 0,
    };
    return keep({ ...place, fromId: -place.community.id }, "market", fields, false);
  },
  gift: () => ({ type: "gift", gift: { id: 1, thumb_512: "https://vk.com/images/gift.png" } }),
  poll: (place, body) => {
    const answers = ["Yes", "No"].map((text, index) => ({ id: index + 1, text, votes: 0, rate: 0 }));
    return keep(
      place,
      "poll",
      { question: body.text("question") ?? "Shall we?", answers, votes: 0, created: place.world.clock.now() },
      false,
    );
  },
  call: ({ fromId, community, world }, body) => {
    const state = body.text("state") ?? "canceled_by_initiator";
    const call = {
      initiator_id: fromId,
      receiver_id: -community.id,
      state,
      time: world.clock.now(),
      duration: 0,
      video: false,
    };
    return { type: "call", call };
  },
  story: (place) => keep(place, "story", { date: place.world.clock.now(), type: "photo", can_see: 1 }),
};

/** `file`: `{base64?, size?, name?, mime_type?}`; without bytes, sample bytes are used. */
async function readFile({ world }: ContentPlace, kind: string, body: Fields): Promise<StoredFile> {
  const sample = samples[kind] ?? { name: "file", mime: "application/octet-stream" };
  const given = body.nested("file") ?? new Fields({});
  const mime = given.text("mime_type") ?? sample.mime;
  const base64 = given.text("base64");
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > 100 * 1024 * 1024))
    throw invalid("file.size", "1 to 104857600");
  const bytes = base64 === undefined ? sampleFile(mime, size) : Buffer.from(base64, "base64");
  return world.files.addBytes(bytes, given.text("name") ?? sample.name, mime);
}

async function measure(world: World, file: StoredFile, fallback: ImageSize) {
  const size = readImageSize(await world.files.blobs.head(file.key, 64 * 1024));
  return size && size.width > 1 ? size : fallback;
}

/** Stores the object on VK, so that it can be attached again by its name. */
function keep(
  { world, fromId }: ContentPlace,
  type: string,
  fields: Readonly<Record<string, unknown>>,
  isPrivate = true,
): Attachment {
  const media = world.library.add({ type, ownerId: fromId || randomInt(1, 1e6), isPrivate, fields });
  return attachmentOf(media);
}
