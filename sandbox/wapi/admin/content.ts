import { Fields, invalid, missing } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import type { Conversation } from "../chat/conversation.ts";
import { errorShape } from "../chat/status.ts";
import type { Words } from "../inbound.ts";
import { downloadUrl } from "../node/media.ts";
import type { World } from "../world.ts";

interface Sample {
  readonly type: string;
  readonly mime: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly name?: string;
}

/** Defaults for a file of each kind. */
const samples: Readonly<Record<string, Sample>> = {
  image: { type: "image", mime: "image/jpeg" },
  video: { type: "video", mime: "video/mp4" },
  audio: { type: "audio", mime: "audio/mpeg", extra: { voice: false } },
  voice: { type: "audio", mime: "audio/ogg; codecs=opus", extra: { voice: true } },
  document: { type: "document", mime: "application/pdf", name: "document.pdf" },
  sticker: { type: "sticker", mime: "image/webp", extra: { animated: false } },
};

const captioned = ["image", "video", "document"];

/** The place of a message: a number and its conversation. */
export interface Setting {
  readonly number: PhoneNumber;
  readonly conversation: Conversation;
}

/** Parses a person's message. `kind` defaults to text. */
export async function readWords(world: World, setting: Setting, body: Fields): Promise<Words> {
  const context = readContext(setting, body);
  const words = await readKind(world, setting, body);
  const group = body.text("group_id");
  const extra = group === undefined ? words.extra : { ...words.extra, group_id: group };
  return { ...words, ...(extra && { extra }), ...(context && { context }) };
}

async function readKind(world: World, { number }: Setting, body: Fields): Promise<Words> {
  const kind = body.text("kind") ?? "text";
  const sample = samples[kind];
  if (sample) return { type: sample.type, value: await readFile(world, number, body, sample) };
  switch (kind) {
    case "text":
      return { type: "text", value: { body: body.needText("text") }, ...readReferral(body) };
    case "location":
      return { type: "location", value: readLocation(body) };
    case "contacts":
      return { type: "contacts", value: body.list("contacts") ?? [readContact(body)] };
    case "order":
      return { type: "order", value: readOrder(body) };
    case "contact_request":
      return { type: "contacts", value: [ownContact(body)], extra: { origin: "contact_request/other" } };
    case "call_permission": {
      const reply = { response: body.text("response") ?? "accept", response_source: "user_action" };
      return { type: "interactive", value: { type: "call_permission_reply", call_permission_reply: reply } };
    }
    case "flow": {
      const reply = {
        name: "flow",
        body: "Sent",
        response_json: JSON.stringify({ flow_token: "unused", ...(body.object("response") ?? sampleForm) }),
      };
      return { type: "interactive", value: { type: "nfm_reply", nfm_reply: reply } };
    }
    case "unsupported": {
      const details = "Message type is currently not supported.";
      return {
        type: "unsupported",
        value: undefined,
        extra: { errors: [errorShape({ code: 131051, details })] },
      };
    }
    default:
      throw invalid(
        "kind",
        `text, ${Object.keys(samples).join(", ")}, location, contacts, contact_request, order, flow, call_permission or unsupported`,
      );
  }
}

const sampleForm = { guest: "Lucia", date: "2026-12-01", extras: ["parking", "breakfast"] };

/** `referral`: the fields of a message that comes from an advertisement. */
function readReferral(body: Fields): Pick<Words, "extra"> {
  const referral = body.object("referral");
  return referral ? { extra: { referral } } : {};
}

/** `reply_to`: the quoted message; `forwarded`: whether it was forwarded. */
function readContext({ number, conversation }: Setting, body: Fields): Words["context"] {
  const id = body.text("reply_to");
  if (id === undefined) return body.flag("forwarded") ? { forwarded: true } : undefined;
  const replied = conversation.messages.get(id);
  if (!replied) throw missing("message", id);
  return { from: replied.direction === "in" ? conversation.person.phone : number.phone, id };
}

/** `file`: `{base64?, size?, name?, mime_type?}`; without bytes, sample bytes are used. */
async function readFile(world: World, number: PhoneNumber, body: Fields, sample: Sample): Promise<unknown> {
  const given = body.nested("file") ?? new Fields({});
  const mime = given.text("mime_type") ?? sample.mime;
  const base64 = given.text("base64");
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > 100 * 1024 * 1024))
    throw invalid("file.size", "1 to 104857600");
  const bytes =
    base64 === undefined ? sampleFile(mime.split(";")[0] ?? "", size) : Buffer.from(base64, "base64");
  const blob = await world.media.blobs.put(bytes);
  const name = given.text("name") ?? sample.name;
  const media = await world.media.add({ numberId: number.id, blob, mime, name, source: "inbound" });
  const caption = body.text("caption");
  return {
    ...(caption !== undefined && captioned.includes(sample.type) && { caption }),
    ...(sample.type === "document" && name !== undefined && { filename: name }),
    mime_type: mime,
    sha256: Buffer.from(media.sha256, "hex").toString("base64"),
    id: media.id,
    ...(world.settings.mediaUrls && { url: downloadUrl(world, media) }),
    ...sample.extra,
    ...(sample.type === "sticker" && body.has("animated") && { animated: body.flag("animated") }),
  };
}

function readLocation(body: Fields): Readonly<Record<string, unknown>> {
  return {
    ...(body.has("address") && { address: body.needText("address") }),
    latitude: body.number("latitude") ?? 37.4422,
    longitude: body.number("longitude") ?? -122.1617,
    ...(body.has("name") && { name: body.needText("name") }),
    ...(body.has("url") && { url: body.needText("url") }),
  };
}

function readOrder(body: Fields): Readonly<Record<string, unknown>> {
  const item = { product_retailer_id: "di9ozbzfi4", quantity: 2, item_price: 30, currency: "USD" };
  return {
    catalog_id: "194836987003835",
    text: body.text("text") ?? "",
    product_items: body.list("items") ?? [item],
  };
}

function readContact(body: Fields): Readonly<Record<string, unknown>> {
  const name = body.text("name") ?? "Lucia Gomez";
  const phone = body.text("phone") ?? "+1 (983) 555-2319";
  const [first = name] = name.split(" ");
  return {
    name: { first_name: first, formatted_name: name },
    phones: [{ phone, wa_id: phone.replace(/\D/g, ""), type: "MOBILE" }],
    addresses: [
      {
        street: "4 Mill Lane",
        city: "Pune",
        zip: "411001",
        country: "India",
        country_code: "IN",
        type: "HOME",
      },
    ],
    emails: [{ email: `${first.toLowerCase()}@shop.example`, type: "WORK" }],
  };
}

/** The person's own number, given at the business's request. */
function ownContact(body: Fields): Readonly<Record<string, unknown>> {
  const [name, phone] = [body.text("name") ?? "Lucia Gomez", body.text("phone") ?? "19835552319"];
  const vcard = ["BEGIN:VCARD", "VERSION:3.0", `FN:${name}`, `TEL;TYPE=CELL:${phone}`, "END:VCARD"].join(
    "\n",
  );
  return { vcard, phones: [{ phone }] };
}
