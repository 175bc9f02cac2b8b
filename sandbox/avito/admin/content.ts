import { Fields, invalid, missing } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import type { Chat, Content } from "../chat.ts";
import type { Media } from "../media-registry.ts";
import type { Words } from "../outgoing.ts";
import type { World } from "../world.ts";

/** Types whose content the API omits. */
const empty: ReadonlySet<string> = new Set(["deleted", "appCall", "file", "video"]);

/** Parses a person's message. `kind` defaults to text. */
export async function readWords(world: World, chat: Chat, body: Fields): Promise<Words> {
  const kind = body.text("kind") ?? "text";
  const content = empty.has(kind) ? {} : await readContent(world, chat, body, kind);
  return { type: kind, content, quoted: readQuoted(chat, body) };
}

function readQuoted(chat: Chat, body: Fields): Words["quoted"] {
  const id = body.text("reply_to");
  if (id === undefined) return undefined;
  const message = chat.get(id);
  if (!message) throw missing("message", id);
  return message;
}

async function readContent(world: World, chat: Chat, body: Fields, kind: string): Promise<Content> {
  switch (kind) {
    case "text":
      return { text: body.needText("text") };
    case "image":
      return { image: { sizes: world.media.sizes(await readFile(world, chat, body, "image")) } };
    case "voice":
      return { voice: { voice_id: (await readFile(world, chat, body, "voice")).id } };
    case "link":
      return { link: readLink(body) };
    case "item":
      return { item: readItem(chat, body) };
    case "location":
      return { location: readLocation(body) };
    case "call":
      return { call: { status: "missed", target_user_id: chat.account.id } };
    default:
      throw invalid("kind", `text, image, voice, link, item, location, call, ${[...empty].join(", ")}`);
  }
}

const mimes = { image: "image/jpeg", voice: "video/mp4" } as const;

/** `file`: `{base64?, size?, mime_type?}`; without bytes, sample bytes are used. */
async function readFile(world: World, chat: Chat, body: Fields, kind: Media["kind"]): Promise<Media> {
  const given = body.nested("file") ?? new Fields({});
  const mime = given.text("mime_type") ?? mimes[kind];
  const base64 = given.text("base64");
  const bytes =
    base64 === undefined ? sampleFile(mime, given.integer("size")) : Buffer.from(base64, "base64");
  return world.media.add({ ...(await world.media.blobs.put(bytes)), kind, mime, accountId: chat.account.id });
}

function readLink(body: Fields): Content {
  const url = body.text("url") ?? "https://example.com/";
  const title = body.text("title") ?? "Example";
  const preview = {
    domain: new URL(url).hostname,
    title,
    description: title,
    url,
    images: { "140x105": `${url}p.jpg` },
  };
  return { text: body.text("text") ?? url, url, preview };
}

function readItem({ item }: Chat, body: Fields): Content {
  return {
    title: body.text("title") ?? item?.title ?? "Item",
    item_url: body.text("url") ?? item?.url ?? "https://avito.ru/items/1",
    image_url: "https://img.avito.st/140x105/1.jpg",
    price_string: item?.priceString ?? "1 ₽",
  };
}

function readLocation(body: Fields): Content {
  const text = body.text("text") ?? "Москва, Лесная улица, 7";
  return {
    kind: body.text("location_kind") ?? "house",
    lat: body.number("latitude") ?? 55.78,
    lon: body.number("longitude") ?? 37.59,
    title: body.text("title") ?? text,
    text,
  };
}
