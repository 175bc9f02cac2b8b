import type { tl } from "@mtcute/core";
import Long from "long";
import { type Fields, invalid, isRecord } from "../../http/fields.ts";
import { randomLong } from "../mtproto/auth-key.ts";
import { findByPhone } from "../world/directory.ts";
import type { Draft, Media } from "../world/letter.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { documentKinds, readNewDocument, readNewPhoto } from "./file.ts";
import { readMarkup } from "./markup.ts";

const otherKinds = [
  "text",
  "photo",
  "contact",
  "location",
  "live_location",
  "venue",
  "poll",
  "dice",
  "game",
  "story",
];

/** The content of a person's message: text or caption, media, buttons. */
export type Content = Pick<Draft, "text" | "entities" | "media" | "markup">;

/** Parses a person's message. `kind` defaults to text. */
export async function readContent(world: World, from: Person, body: Fields): Promise<Content> {
  const kind = body.text("kind") ?? "text";
  const media = await readMedia(world, from, { kind, body });
  const text = body.text("caption") ?? body.text("text") ?? "";
  if (!media && text === "") throw invalid("text", "a non-empty string");
  const entities = (body.list("entities") ?? []).map(readEntity);
  return { text, entities, media, markup: readMarkup(body) };
}

async function readMedia(
  world: World,
  from: Person,
  { kind, body }: { readonly kind: string; readonly body: Fields },
): Promise<Media | undefined> {
  if (kind === "text") return undefined;
  if (kind === "photo") return { kind: "photo", file: (await readNewPhoto(world, body)).id };
  if (documentKinds.includes(kind))
    return { kind: "document", file: (await readNewDocument(world, kind, body)).id };
  return { kind: "other", media: readOther(world, from, { kind, body }) };
}

function readOther(
  world: World,
  from: Person,
  { kind, body }: { readonly kind: string; readonly body: Fields },
): tl.TypeMessageMedia {
  switch (kind) {
    case "contact":
      return readContact(world, from, body);
    case "location":
      return { _: "messageMediaGeo", geo: readPoint(body) };
    case "live_location":
      return { _: "messageMediaGeoLive", geo: readPoint(body), period: body.integer("period") ?? 900 };
    case "venue": {
      const [title, address] = [body.text("title") ?? "Cafe", body.text("address") ?? "Main street 1"];
      const none = { provider: "foursquare", venueId: "", venueType: "" };
      return { _: "messageMediaVenue", geo: readPoint(body), title, address, ...none };
    }
    case "poll":
      return readPoll(body);
    case "dice":
      return {
        _: "messageMediaDice",
        value: body.integer("value") ?? 6,
        emoticon: body.text("emoji") ?? "🎲",
      };
    case "story":
      return { _: "messageMediaStory", peer: { _: "peerUser", userId: from.id }, id: 1 };
    case "game":
      return { _: "messageMediaUnsupported" };
    default:
      throw invalid("kind", [...otherKinds, ...documentKinds].join(", "));
  }
}

function readContact(world: World, from: Person, body: Fields): tl.RawMessageMediaContact {
  const phoneNumber = body.text("phone_number") ?? from.phone;
  return {
    _: "messageMediaContact",
    phoneNumber,
    firstName: body.text("first_name") ?? from.firstName,
    lastName: body.text("last_name") ?? "",
    vcard: body.text("vcard") ?? "",
    userId: findByPhone(world, phoneNumber)?.id ?? 0,
  };
}

function readPoint(body: Fields): tl.RawGeoPoint {
  const [lat, long] = [body.number("latitude") ?? 55.7539, body.number("longitude") ?? 37.6208];
  return { _: "geoPoint", lat, long, accessHash: Long.ZERO };
}

function readPoll(body: Fields): tl.RawMessageMediaPoll {
  const plain = (text: string): tl.RawTextWithEntities => ({ _: "textWithEntities", text, entities: [] });
  const answers = (body.list("options") ?? ["Yes", "No"]).map(
    (each, index): tl.RawPollAnswer => ({
      _: "pollAnswer",
      text: plain(String(each)),
      option: Buffer.from([index]),
    }),
  );
  const question = plain(body.text("question") ?? "Shall we?");
  return {
    _: "messageMediaPoll",
    poll: { _: "poll", id: randomLong(), question, answers, hash: Long.ZERO },
    results: { _: "pollResults", totalVoters: 0 },
  };
}

/** `{type, offset, length, …}`; `type` as in the schema without `messageEntity`, for example `Bold`, `TextUrl`. */
function readEntity(value: unknown): tl.TypeMessageEntity {
  if (!isRecord(value)) throw invalid("entities", "objects");
  const { type, ...fields } = value;
  return { _: `messageEntity${String(type)}`, ...fields } as unknown as tl.TypeMessageEntity;
}
