import { Fields, invalid, missing } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import type { Attachment } from "../account/conversation.ts";
import type { Seat, Words } from "../inbound.ts";
import type { World } from "../world.ts";

interface Sample {
  readonly name: string;
  readonly mime: string;
}

/** Defaults for a file of each kind. */
const samples: Readonly<Record<string, Sample>> = {
  image: { name: "image.jpg", mime: "image/jpeg" },
  video: { name: "video.mp4", mime: "video/mp4" },
  audio: { name: "voice.mp4", mime: "video/mp4" },
  file: { name: "document.pdf", mime: "application/pdf" },
  story_mention: { name: "story.jpg", mime: "image/jpeg" },
  ig_reel: { name: "reel.mp4", mime: "video/mp4" },
  ig_story: { name: "story.jpg", mime: "image/jpeg" },
};

const kinds = [
  ...Object.keys(samples),
  "share",
  "ig_post",
  "like_heart",
  "ephemeral",
  "fallback",
  "product",
  "story_reply",
  "unsupported",
];

/** Parses a person's message. `kind` defaults to text. */
export async function readWords(seat: Seat, body: Fields): Promise<Words> {
  const kind = body.text("kind") ?? "text";
  const text = body.text("text");
  if (kind === "text") return { text: body.needText("text"), ...readReply(seat, body), ...readExtra(body) };
  if (!kinds.includes(kind)) throw invalid("kind", `text, ${kinds.join(", ")}`);
  if (kind === "story_reply")
    return { text: body.text("text") ?? "Nice!", replyTo: await storyOf(seat.world, body) };
  if (kind === "unsupported") return { extra: { is_unsupported: true } };
  const count = body.integer("count") ?? 1;
  if (count < 1 || count > 10) throw invalid("count", "1 to 10");
  const attachments: Attachment[] = [];
  for (let left = count; left > 0; left--) attachments.push(await readAttachment(seat.world, kind, body));
  return { attachments, ...(text !== undefined && { text }), ...readReply(seat, body), ...readExtra(body) };
}

async function readAttachment(world: World, kind: string, body: Fields): Promise<Attachment> {
  switch (kind) {
    case "like_heart":
    case "ephemeral":
    case "fallback":
      return { type: kind };
    case "ig_story": {
      const url = await readFile(world, kind, body);
      return { type: kind, payload: { story_media_id: "17900000000000002", story_media_url: url } };
    }
    case "product":
      return { type: "template", payload: { product: { elements: [productOf(body)] } } };
    case "share":
    case "ig_post": {
      const post = body.text("media_id") === undefined ? undefined : world.post(body.needText("media_id"));
      const url = body.text("url") ?? post?.permalink ?? "https://www.instagram.com/p/Shared00001/";
      const title = post?.caption ?? "A post";
      return kind === "share"
        ? { type: kind, payload: { url } }
        : { type: kind, payload: { ig_post_media_id: post?.id ?? "17890000000000001", title, url } };
    }
    case "ig_reel": {
      const url = await readFile(world, kind, body);
      return {
        type: kind,
        payload: { reel_video_id: "18000000000000001", title: body.text("title") ?? "A reel", url },
      };
    }
    default:
      return { type: kind, payload: { url: await readFile(world, kind, body) } };
  }
}

function productOf(body: Fields): Readonly<Record<string, string>> {
  const title = body.text("title") ?? "A mug";
  const image_url = "https://shop.example/mug.jpg";
  return { id: "7700000000000001", retailer_id: "MUG-1", image_url, title, subtitle: "12 €" };
}

/**
 * `file`: `{base64?, size?, name?, mime_type?}`; without bytes, sample bytes are used. Returns its download address.
 */
export async function readFile(world: World, kind: string, body: Fields): Promise<string> {
  const sample = samples[kind] ?? { name: "file", mime: "application/octet-stream" };
  const given = body.nested("file") ?? new Fields({});
  const mime = given.text("mime_type") ?? sample.mime;
  const base64 = given.text("base64");
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > 100 * 1024 * 1024))
    throw invalid("file.size", "1 to 104857600");
  const bytes = base64 === undefined ? sampleFile(mime, size) : Buffer.from(base64, "base64");
  return world.keepFile(bytes, given.text("name") ?? sample.name, mime);
}

/** `media_id`: a story of the account; without it, one is created. */
async function storyOf(world: World, body: Fields): Promise<Readonly<Record<string, unknown>>> {
  const id = body.text("media_id");
  const url = id === undefined ? await readFile(world, "story_mention", body) : world.post(id).mediaUrl;
  return { story: { id: id ?? "17900000000000001", url } };
}

function readReply({ conversation }: Seat, body: Fields): Pick<Words, "replyTo"> {
  const mid = body.text("reply_to");
  if (mid === undefined) return {};
  if (!conversation.get(mid)) throw missing("message", mid);
  return { replyTo: { mid } };
}

/** `referral`: where the person came from, as reported by the platform. */
function readExtra(body: Fields): Pick<Words, "extra"> {
  const referral = body.object("referral");
  return referral ? { extra: { referral } } : {};
}
