import type { FileRef, MessageBody } from "../../core/transport/events.ts";
import { toVcard } from "../kit/contact-card.ts";
import { bodiesOf, itemPart, joinParts, NOTHING, type Part, wordsPart } from "../kit/part.ts";
import { hasAddress, linked, wordsIn } from "../kit/words.ts";
import type { ViberMessage } from "./update.ts";

/** Whether a file at this address can be opened (`files.ts`). */
export type IsOpenable = (address: string) => boolean;
type Reading = (message: ViberMessage, isOpenable: IsOpenable) => Part;

/** The types of a message, by what they carry beside `text` (developers.viber.com, "Receive message from user"). */
const READINGS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ["text", addressPart],
  ["url", addressPart],
  ["picture", fileReading("image")],
  ["sticker", fileReading("image", "sticker")],
  ["video", fileReading("video")],
  ["file", fileReading("document")],
  ["contact", contactPart],
  ["location", placePart],
  ["rich_media", richPart],
]);

export function isKnownType(type: string): boolean {
  return READINGS.has(type);
}

/** The bodies of a message; its text is with the first. None if there is nothing in it. */
export function toBodies(message: ViberMessage, isOpenable: IsOpenable): readonly MessageBody[] {
  const { type = "message", text, raw } = message;
  const part = READINGS.get(type)?.(message, isOpenable);
  if (part !== undefined) return bodiesOf(joinParts([wordsPart([text]), part]));
  const words = wordsIn(raw);
  return [{ type: "unsupported", what: type, ...(words !== null && { text: words }) }];
}

function addressPart({ text = "", media }: ViberMessage): Part {
  return media === undefined || hasAddress(text, media) ? NOTHING : wordsPart([media]);
}

/** An address that is not Viber's is not opened, and stays a link. */
function fileReading(kind: "image" | "video" | "document", what: string = kind): Reading {
  return (message, isOpenable) => {
    const { media, text, file_name: name, size } = message;
    if (media === undefined)
      return (text ?? name) === undefined ? itemPart({ type: "unsupported", what }) : wordsPart([name]);
    if (!isOpenable(media)) return joinParts([wordsPart([name]), addressPart(message)]);
    const file: FileRef = {
      token: media,
      ...(name !== undefined && { name }),
      ...(size !== undefined && size > 0 && { size }),
    };
    return itemPart({ type: "media", media: kind, file, text: "" });
  };
}

function contactPart({ contact = {} }: ViberMessage): Part {
  const { name, phone_number: phone, avatar } = contact;
  if (phone === undefined)
    return name === undefined ? itemPart({ type: "unsupported", what: "contact" }) : wordsPart([name]);
  const vcard = toVcard({ phone, firstName: name ?? phone });
  return itemPart({ type: "vcard", vcard: avatar === undefined ? vcard : withPicture(vcard, avatar) });
}

/** RFC 2426, section 3.1.4. */
function withPicture(vcard: string, address: string): string {
  return vcard.replace("END:VCARD", () => `PHOTO;VALUE=URI:${address}\r\nEND:VCARD`);
}

function placePart({ location }: ViberMessage): Part {
  const { lat: latitude, lon: longitude, address = "" } = location ?? {};
  if (latitude !== undefined && longitude !== undefined)
    return itemPart({ type: "geo", latitude, longitude, text: address });
  return address === "" ? itemPart({ type: "unsupported", what: "location" }) : wordsPart([address]);
}

/** Cards of buttons with texts in markup, pictures and addresses (developers.viber.com, "Rich Media message"). */
function richPart({ alt_text, rich_media }: ViberMessage): Part {
  const lines = (rich_media?.Buttons ?? []).map(({ Text, Image, ActionType, ActionBody }) => {
    const target = ActionType === "open-url" ? ActionBody : undefined;
    return linked(plain(Text) ?? Image, target);
  });
  const part = wordsPart([alt_text, ...lines]);
  return part.words.length > 0 ? part : itemPart({ type: "unsupported", what: "rich_media" });
}

/** The text of a button without the tags that Viber allows in it. */
function plain(markup: string | undefined): string | undefined {
  const text = markup
    ?.replace(/<br\s*\/?>/gi, "\n")
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
    .trim();
  return text === "" ? undefined : text;
}
